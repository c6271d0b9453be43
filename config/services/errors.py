"""What stops a start."""


class ServiceError(Exception):
    """A start that cannot go on; the message is the one sentence that the person reads."""
