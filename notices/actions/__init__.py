"""What people do with notices: one durable transaction each, with its audit row."""
