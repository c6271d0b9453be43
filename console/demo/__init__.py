"""The demo: a Workspace worth looking at, made by the very actions that make real ones.

Every step first looks whether it was done before, so a load that was cut short goes on where it
stopped; a load that came to its end is never repeated, whatever people did with the demo since.
"""
