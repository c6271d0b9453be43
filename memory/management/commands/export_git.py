import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pygit2
from django.core.management.base import CommandParser

from memory.access import open_store
from memory.git.exporting import INITIAL_HEAD, Left, Writer
from memory.git.line import Line
from memory.models import MemoryStore
from memory.operating import INTERRUPTED, caller_in, parse_store, progress_bar
from tenancy.commands import OperatorCommand, Refused
from wire.errors import name_some
from wire.times import has_passed


class Command(OperatorCommand):
    help = "Export a store's line of versions as a bare git repository: a commit for each version."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("store", help="the store's ID")
        parser.add_argument("directory", type=Path, help="where to; new, or empty")
        parser.add_argument(
            "--skip-erased", action="store_true", help="leave out erased texts, and tell of them"
        )

    def handle(self, *, store: str, directory: Path, skip_erased: bool, **_: Any) -> None:
        store_id = parse_store(store)
        access = open_store(caller_in(store_id), store_id)
        access.require_visible()
        try:
            with _made_whole(directory) as folder:
                writer = self._write(store_id, folder)
                _refuse_impossible(writer.left, skip_erased=skip_erased)
                _require_intact(access.store, writer.left)
        except KeyboardInterrupt:
            raise Refused("Interrupted; nothing was exported.", returncode=INTERRUPTED) from None
        except (OSError, pygit2.GitError) as error:
            raise Refused(f"Nothing was exported. {error}") from error
        for line in _report(writer):
            self.stdout.write(line)
        self.tell(f"To work with it: git clone {directory}", str(directory))

    def _write(self, store_id: str, folder: Path) -> Writer:
        writer = Writer(folder)
        with progress_bar("versions", visible=self.stderr.isatty()) as progress:
            for version in progress.track(Line(store_id), description="Exporting"):
                writer.write(version)
        writer.close()
        return writer


@contextmanager
def _made_whole(directory: Path) -> Iterator[Path]:
    """A folder beside `directory` that takes its place at the end, and is gone after an error."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise Refused(f"{directory} is there already, and not an empty folder.")
    folder = Path(tempfile.mkdtemp(prefix=".export-", dir=directory.absolute().parent))
    try:
        yield folder
        if directory.exists():
            directory.rmdir()
        folder.rename(directory)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse_impossible(left: Left, *, skip_erased: bool) -> None:
    if left.impossible:
        raise Refused(f"Git holds no such paths: {name_some(sorted(left.impossible))}.")
    if left.erased and not skip_erased:
        raise Refused(
            f"Texts at these paths were erased: {name_some(sorted(left.erased))}."
            " With --skip-erased they are left out."
        )


def _require_intact(store: MemoryStore, left: Left) -> None:
    """Refuse to hand out what was erased or expired while it was written (contract R5)."""
    fresh = MemoryStore.objects.get(id=store.id)
    same = (fresh.erasure_epoch, fresh.lifecycle) == (store.erasure_epoch, store.lifecycle)
    if has_passed(left.expires_at) or not same:
        raise Refused("Something of the store was erased during the export. Run it again.")


def _report(writer: Writer) -> Iterator[str]:
    yield f"Exported {writer.commits:,} versions as commits of the branch {INITIAL_HEAD}."
    left = writer.left
    if left.erased:
        yield f"Left out, since their texts were erased: {name_some(sorted(left.erased))}."
    if left.typed:
        yield (
            "Git keeps no media types; these paths had one that their ending does not tell:"
            f" {name_some(sorted(left.typed))}."
        )
