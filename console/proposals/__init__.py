"""What the pages of Proposals show of them."""
