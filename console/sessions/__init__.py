"""What the pages of Sessions show of them, and how one is made."""
