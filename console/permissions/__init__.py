"""Who may do what and why, as pages tell it."""
