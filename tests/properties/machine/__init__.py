"""The rules by which oracle and product are driven side by side, by noun."""
