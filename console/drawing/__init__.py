"""Texts and diffs as rows of a page, in which nothing hides."""
