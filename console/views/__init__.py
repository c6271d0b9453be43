"""One module a page: parse, call the room that knows, render."""
