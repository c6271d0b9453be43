"""Forms: they check the shape of what was typed; the actions decide."""
