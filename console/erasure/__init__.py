"""What erasures would take, and what they took, as pages tell it."""
