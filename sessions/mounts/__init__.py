"""What a mount comes to, and what it reads (contract S1 to S3)."""
