"""Erasure (contract §8): what goes, by whose job, and how a report tells of it."""
