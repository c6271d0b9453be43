"""What a memory store does, from the contract alone: plain Python to hold the server against."""
