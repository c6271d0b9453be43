"""A Proposal's change on another canonical, and what somebody decides of it (contract P4)."""
