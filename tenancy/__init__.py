"""Who there is in a Workspace, and what they may do (contract §0)."""
