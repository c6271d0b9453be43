"""What a person needs to enter the demo, as `make up` prints it."""

from console.demo.cast import ACCOUNTS
from console.demo.credentials import Credentials, find_key
from tenancy.models import Workspace


def announcement(workspace: Workspace, credentials: Credentials) -> str:
    """Lines for a terminal: accounts, their password, the API key."""
    width = max(len(account.username) for account in ACCOUNTS)
    accounts = [f"  {account.username:<{width}}  {account.purpose}" for account in ACCOUNTS]
    key = find_key(workspace, credentials.secret)
    assert key is not None
    assert key.principal is not None
    revoked = "  (revoked)" if key.revoked_at else ""
    lines = [
        f"Sign in to the Workspace {workspace.name} with the password {credentials.password} as",
        *accounts,
        f"API key of the service principal “{key.principal.name}”",
        f"  {credentials.secret}{revoked}",
    ]
    return "\n".join(lines)
