"""Who may decide on a Proposal, what an approval needs, and how it ends (contract P1 to P3)."""
