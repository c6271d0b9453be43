from typing import Any

from console.demo.announcement import announcement
from console.demo.loading import load_demo
from tenancy.commands import OperatorCommand


class Command(OperatorCommand):
    help = "Load the demo once; prints its accounts and its API key, however often it is run."

    def handle(self, **_: Any) -> None:
        workspace, credentials = load_demo()
        self.stdout.write(announcement(workspace, credentials))
