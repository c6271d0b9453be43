"""What a text holds that a reviewer may miss (console.md, text safety): text in, findings out.

Nothing here reads the database, speaks to a network, logs, or keeps a text.
"""
