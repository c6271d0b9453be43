"""What the form of a new Session holds from one request to the next, and what its buttons do.

All of it is in the form itself: no page depends on scripting, or on what the server remembers.
"""

from typing import Any, Final
from uuid import uuid4

from django.http import QueryDict

from console.forms.sessions import CURRENT
from sessions.models import Access, Place, SelectionKind

BUTTONS: Final = ("add", "unmount", "choose", "clear", "pick")
"""Names of the buttons that change the form; `do` is that of those which do not.

None of them is a method of a form in a browser (`remove`): scripts would find the button.
"""

type Focus = tuple[str, str]
"""A store and a field of its mount: where the person goes on."""


def begin(
    *, agent: str, environment: str, store: str = "", version: str = "", picks: bool = False
) -> QueryDict:
    """What a new form holds.

    Args:
        store, version: a mount to begin with, of this exact version when one is given.
        picks: whether its version is to be chosen first of all.
    """
    data = QueryDict(mutable=True)
    data.update({"token": uuid4().hex, "agent": agent, "environment": environment})
    data["place"] = Place.PERSONAL
    if store:
        _add(data, store)
        if version:
            _choose(data, f"{store}:{version}")
        elif picks:
            _set(data, store, revision=SelectionKind.VERSION)
            data["pick"] = store
    return data


def press(sent: QueryDict) -> tuple[QueryDict, Focus | None]:
    """What the form holds once the button with which it was sent has done its work."""
    data = sent.copy()
    data.setlist("mount", list(dict.fromkeys(sent.getlist("mount"))))
    for name in BUTTONS:
        value = data.get(name)
        if value:
            return data, _PRESSED[name](data, value)
    return data, None


def _add(data: QueryDict, store: str) -> Focus:
    if store not in data.getlist("mount"):
        data.appendlist("mount", store)
        _set(data, store, access=Access.READ_ONLY, revision=CURRENT)
    return store, "access"


def _unmount(data: QueryDict, store: str) -> None:
    data.setlist("mount", [each for each in data.getlist("mount") if each != store])


def _choose(data: QueryDict, choice: str) -> Focus:
    """An exact version is only read, unless somebody says otherwise afterwards (contract S3)."""
    store, _, version = choice.partition(":")
    _set(
        data,
        store,
        revision=SelectionKind.VERSION,
        version=version,
        access=Access.READ_ONLY,
        told="yes",
    )
    data["pick"] = ""
    return store, "access"


def _clear(data: QueryDict, store: str) -> Focus:
    """Access stays as it is: nothing gives write back but the person."""
    _set(data, store, revision=CURRENT, version="", told="yes")
    data["pick"] = ""
    return store, "revision"


def _pick(data: QueryDict, store: str) -> Focus | None:
    """Open the picker of one mount; a page of it is asked for by the same button."""
    if data.get(f"{store}-revision") != SelectionKind.VERSION or data.get(f"{store}-version"):
        data["pick"] = ""
        return None
    return store, "words"


_PRESSED: Final[dict[str, Any]] = {
    "add": _add,
    "unmount": _unmount,
    "choose": _choose,
    "clear": _clear,
    "pick": _pick,
}


def _set(data: QueryDict, store: str, **values: str) -> None:
    for name, value in values.items():
        data[f"{store}-{name}"] = value
