"""Who is told what of Proposals: notices in the Console, and e-mail."""
