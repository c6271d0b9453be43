"""What a turn may write and how it is settled, through a runner or natively (contract S5, S6)."""
