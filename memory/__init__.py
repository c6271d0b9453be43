"""The versioned store (contract §1 to §3): trees, versions, refs, change sets, documents."""
