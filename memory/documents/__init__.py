"""What a document is: its path, its text, what is known of it (contract M2, M7)."""
