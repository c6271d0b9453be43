"""The names of the headers that the API reads and writes."""

from typing import Final

VERSION: Final = "Checkfu-Version"
ACTING_PRINCIPAL: Final = "Checkfu-Acting-Principal"
WORKSPACE_ID: Final = "Checkfu-Workspace-Id"
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
REPLAYED: Final = "Checkfu-Replayed"
REQUEST_ID: Final = "X-Request-Id"
