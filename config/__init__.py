"""Settings, routes and probes; `services/` runs it all on one machine."""
