"""The rules of the house, read from the code itself (docs/architecture.md, CONTRIBUTING.md)."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
LAYERS = tomllib.loads((HOUSE / "pyproject.toml").read_text())["tool"]["importlinter"]
ROOMS = LAYERS["root_packages"]

LONGEST_FILE = 400
WRITES = {"save", "create", "delete", "bulk_create", "bulk_update"}
WRITES |= {"get_or_create", "update_or_create"}

MEANT_OTHERWISE = {
    "account": "a sign-in of the demo, and a person's own pages",
    "actor": "who made a version (contract M3)",
    "admin": "who administers a Workspace, and the permission",
    "assistant": "somebody in the demo's story",
    "batch": "rows that are stored together",
    "blank": "white space",
    "blob": "git's",
    "cache": "a place where erased text may be (contract X4)",
    "close": "what the last entry of a tree page does",
    "closed": "of a list or a shape: nothing may be added",
    "commit": "git's",
    "container": "the scope of an export (contract E2)",
    "content": "what a document holds, by its hash (contract R1)",
    "context": "lines around a change, and what a template is given",
    "deletion": "of a document, by a change set",
    "draft": "changes on a base that are not sealed yet",
    "epoch": "the glossary has two: of authority, of erasures",
    "file": "of a file system, of git, and of a diff's pages",
    "from": "English",
    "head": "of a Proposal, and what comes first",
    "main": "where a program begins",
    "merge": "of sorted entries, and of the lines of a document",
    "metadata": "a client's own texts on a store (contract M1)",
    "missing": "what is not there yet, such as a grant",
    "note": "words beside a version or a decision (contract X5)",
    "page": "of a list, of a tree, of the Console",
    "patch": "HTTP's and libgit2's",
    "policy": "`policy.denied` is the contract's word",
    "project": "the demo's",
    "repository": "git's",
    "revision": "a version as exports spell it",
    "right": "the side of a page",
    "role": "somebody in the demo's story",
    "scope": "how much of a store an export holds (contract E2)",
    "scrub": "rewriting the database's files (contract X4)",
    "source": "what provenance and imports name",
    "target": "what a grant is on (contract §0)",
    "task": "what a page is about to let somebody do",
    "to": "English",
    "user": "the sign-in",
}
"""Words that the glossary rejects for one thing, and that name another one here."""


@cache
def modules() -> Mapping[str, ast.Module]:
    """The code of every room by its path, without migrations."""
    paths = (path for room in ROOMS for path in (HOUSE / room).rglob("*.py"))
    return {
        str(path.relative_to(HOUSE)): ast.parse(path.read_text())
        for path in sorted(paths)
        if "migrations" not in path.parts
    }


def named(*folders: str) -> dict[str, ast.Module]:
    """The modules in folders, or in files, of these names."""
    return {
        path: tree
        for path, tree in modules().items()
        if {*Path(path).with_suffix("").parts} & {*folders}
    }


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def attributes(tree: ast.AST) -> Iterator[str]:
    return (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))


def is_write(call: ast.Call) -> bool:
    """Whether a call looks like the ORM's; sets and digests `update` without keywords."""
    if not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr in WRITES or (call.func.attr == "update" and bool(call.keywords))


def is_durable(function: ast.FunctionDef) -> bool:
    names = {node.id for node in function.decorator_list if isinstance(node, ast.Name)}
    return bool(names & {"durable", "durable_once"})


def durable_functions() -> list[tuple[str, ast.FunctionDef]]:
    return [
        (path, node)
        for path, tree in named("actions").items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and is_durable(node)
    ]


def test_views_and_queries_write_nothing():
    found = {
        (path, call.func.attr)
        for path, tree in named("api", "views", "queries").items()
        for call in calls(tree)
        if is_write(call) and isinstance(call.func, ast.Attribute)
    }
    assert found == set()


def test_views_ask_through_queries():
    assert [
        path for path, tree in named("api", "views").items() if "objects" in attributes(tree)
    ] == []


def test_one_module_opens_transactions():
    found = {path for path, tree in modules().items() if "atomic" in attributes(tree)}
    assert found == {"database/transactions.py"}


def test_actions_are_durable():
    silent = set(named("actions")) - {path for path, _ in durable_functions()}
    assert {path for path in silent if not path.endswith("__init__.py")} == set()


def test_actions_take_keywords_only():
    positional = [
        f"{path}: {function.name}"
        for path, function in durable_functions()
        if not function.name.startswith("_") and (function.args.args or function.args.posonlyargs)
    ]
    assert positional == []


def test_every_action_writes_an_audit_row():
    silent = [
        f"{path}: {function.name}"
        for path, function in durable_functions()
        if ("tenancy/audit.py", "record") not in reached(path, function.name)
    ]
    assert silent == []


def reached(path: str, name: str) -> set[tuple[str, str]]:
    """The functions that one may call, in whatever module they are, by their names."""
    found: set[tuple[str, str]] = set()
    waiting = [(path, name)]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting += called(*place)
    return found


@cache
def called(path: str, name: str) -> list[tuple[str, str]]:
    tree = modules()[path]
    here = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in here:
        return []
    imported = imports_of(path)
    names = {node.id for node in ast.walk(here[name]) if isinstance(node, ast.Name)}
    return [(path, one) for one in names & here.keys()] + [
        imported[one] for one in names & imported.keys()
    ]


def imports_of(path: str) -> dict[str, tuple[str, str]]:
    """What a module imports by name from modules of the house."""
    sources = {
        alias.asname or alias.name: (f"{node.module.replace('.', '/')}.py", alias.name)
        for node in modules()[path].body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    return {name: source for name, source in sources.items() if source[0] in modules()}


def test_there_are_no_signals():
    modules_imported = {
        f"{path}: {node.module}"
        for path, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert [one for one in modules_imported if one.endswith((".signals", ".dispatch"))] == []


def test_the_environment_is_read_in_config_alone():
    readers = {
        path for path, tree in modules().items() if {"environ", "getenv"} & {*attributes(tree)}
    }
    assert {path for path in readers if not path.startswith("config/")} == set()


def test_files_stay_short():
    lengths = {path: len((HOUSE / path).read_text().split("\n")) for path in modules()}
    assert {path for path, length in lengths.items() if length > LONGEST_FILE} == set()


def test_rejected_words_name_nothing():
    found = {
        f"{path}: {name}"
        for path, tree in modules().items()
        for name in names_made(tree)
        if words_of(name) & (rejected_words() - MEANT_OTHERWISE.keys())
    }
    assert found == set()


def names_made(tree: ast.Module) -> Iterator[str]:
    """The names of functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def words_of(name: str) -> set[str]:
    found = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    return found | {word.removesuffix("s") for word in found}


@cache
def rejected_words() -> frozenset[str]:
    """The single words in the glossary's last column, which says what a thing is not called."""
    rows = re.findall(
        r"^\| \*\*.*\|(.*)\|$", (HOUSE / "docs/glossary.md").read_text(), re.MULTILINE
    )
    without_remarks = (re.sub(r"\(.*?\)", "", row) for row in rows)
    words = (word.strip().lower() for row in without_remarks for word in row.split(","))
    return frozenset(word for word in words if re.fullmatch(r"[a-z]+", word))


def test_the_architecture_page_has_every_room():
    page = (HOUSE / "docs/architecture.md").read_text()
    layers = reversed(LAYERS["contracts"][0]["layers"])
    rooms = [room for layer in layers for room in layer.split(" | ")]
    assert re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE) == rooms
