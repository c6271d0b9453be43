"""`manage.py import_export`: the same actions over files (contract I1)."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from jobs.models import Job
from jobs.runner import run_slice
from memory.importing import files as importing_files
from memory.importing import trees
from memory.management.commands.verify import verify_store
from memory.models import DocumentVersion, ImportPage, MemoryStore, MemoryVersion
from memory.queries.documents import read_document
from tests.bundles import example, pages_of

pytestmark = pytest.mark.django_db


def run(workspace: Any, *files: Any) -> list[str]:
    """The lines that the command prints; nothing may come on standard error."""
    out, err = StringIO(), StringIO()
    fixed = ["--workspace", workspace.name, "--name", "Imported"]
    call_command("import_export", *map(str, files), *fixed, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue().splitlines()


def refusal(workspace: Any, *files: Any) -> str:
    """The sentence that the command refuses with; workers leave nothing of what it had begun."""
    with pytest.raises(CommandError) as refused:
        run(workspace, *files)
    for job in Job.objects.filter(kind="store.delete", state="queued"):
        assert not run_slice(job.id)
    assert set(MemoryStore.objects.values_list("lifecycle", flat=True)) == {"deleted"}
    assert not MemoryVersion.objects.exists()
    assert not DocumentVersion.objects.exists()
    return str(refused.value)


def written(path: Any, text: str | bytes) -> Any:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_page_a_file_in_any_order(tmp_path, workspace):
    files = [
        written(tmp_path / f"{ordinal}.json", json.dumps(page, indent=2))
        for ordinal, page in enumerate(example().pages(3))
    ]
    lines = run(workspace, *reversed(files))
    store = MemoryStore.objects.get(id=lines[-1])
    assert store.lifecycle == "active"
    assert lines[0] == (
        "Imported 5 versions and 6 document versions, 1 of them without a body, and 2 path fences."
        " Refs other than canonical, left out: 3."
    )
    assert f"--target {store.id} --permissions read" in lines[-2]
    assert read_document(store.id, "/notes/a.md").text == "three \u2764 \u65e5\u672c"
    assert verify_store(store.id).found == {}
    assert not ImportPage.objects.exists()


def test_a_page_a_line(tmp_path, workspace):
    lines = "\n".join(json.dumps(page) for page in example().pages(2)) + "\n"
    assert run(workspace, written(tmp_path / "export.ndjson", lines))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_whole_export(tmp_path, workspace, indent):
    file = written(tmp_path / "export.json", json.dumps(example().whole(), indent=indent))
    assert run(workspace, file)


def test_batch_after_batch(tmp_path, workspace, monkeypatch):
    """The smallest batches lead to the same store."""
    monkeypatch.setattr(trees, "FULL_ENTRIES", 1)
    monkeypatch.setattr("memory.importing.building.PAGES_AT_ONCE", 1)
    monkeypatch.setattr("memory.importing.texts.FULL_DOCUMENTS", 1)
    monkeypatch.setattr("memory.importing.texts.FETCHED_AT_ONCE", 1)
    monkeypatch.setattr("memory.erasure.draining.BATCH", 1)
    lines = "\n".join(json.dumps(page) for page in example().pages(2))
    store = run(workspace, written(tmp_path / "export.ndjson", lines))[-1]
    assert verify_store(store).found == {}
    assert DocumentVersion.objects.count() == 6


def test_what_is_wrong_is_named(tmp_path, workspace):
    bundle = example()
    items = bundle.items()
    entry = next(item for item in items if item["kind"] == "revision_entry")
    entry["revision_entry"]["document_version"] = "mdoc_" + "0" * 32
    file = written(tmp_path / "export.json", json.dumps(pages_of(bundle.store, items)[0]))

    sentence = refusal(workspace, file)

    assert sentence.startswith("Nothing was imported. page 0, item 13 (revision_entry mrev_")
    assert sentence.endswith("the export has no such document version.")


def test_files_that_are_no_export(tmp_path, workspace, monkeypatch):
    monkeypatch.setattr(importing_files, "MAX_BYTES", 100)
    assert "No such file" in refusal(workspace, tmp_path / "none")
    assert "not valid JSON" in refusal(workspace, written(tmp_path / "a", "{"))
    assert "not valid UTF-8" in refusal(workspace, written(tmp_path / "b", b"\xff"))
    assert "no JSON object" in refusal(workspace, written(tmp_path / "c", "[]"))
    assert "larger than 100" in refusal(workspace, written(tmp_path / "d", " " * 200))
    assert "store: Field required" in refusal(workspace, written(tmp_path / "e", "{}"))


def test_interrupted(tmp_path, workspace, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("memory.importing.building.take_documents", interrupt)
    file = written(tmp_path / "export.json", json.dumps(example().pages()[0]))
    with pytest.raises(CommandError, match="Interrupted; nothing was imported"):
        run(workspace, file)
    assert MemoryStore.objects.get().lifecycle == "deleting"
