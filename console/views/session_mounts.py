"""What one mount of a Session reads: its documents as a list, and as one file."""

from django.http import HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from console.door import for_person, versioned
from console.pages import SIZE
from console.parsing import archive_format
from console.people import ConsoleRequest
from console.responses import render_page
from console.sessions.pages import open_shell
from memory.api.pinning import pinned
from sessions.access import open_session
from sessions.api.mounts import archive_headers, page_of_mount
from sessions.mounts.archives import archive_parts
from sessions.mounts.reading import find_mount, open_mounted, recheck_mounted
from wire.times import earliest


@require_safe
@for_person
@versioned
def mount(request: ConsoleRequest, session_id: str, position: int) -> HttpResponseBase:
    """The documents that the agent finds there now, by the same rules as its own requests."""
    shell = open_shell(request, session_id, "session")
    mounted = open_mounted(shell.access, find_mount(session_id, position))
    pin = pinned(None, request.GET.get("page") or None)
    documents, next_page = page_of_mount(mounted, pin, SIZE)
    context = shell.context | {
        "mount": mounted.mount,
        "store": mounted.store.store,
        "version": mounted.version,
        "documents": documents,
        "next_page": next_page,
    }
    response = render_page(request, "console/session/mount.html", context, fragment="rows")
    recheck_mounted(
        mounted,
        [document.document_id for document in documents],
        earliest(document.expires_at for document in documents),
    )
    return response


@require_safe
@for_person
@versioned
def archive(request: ConsoleRequest, session_id: str, position: int) -> HttpResponseBase:
    """All of them as one file, sent in parts that are each looked at once more."""
    access = open_session(request.caller, session_id)
    mounted = open_mounted(access, find_mount(session_id, position))
    form = archive_format(request)
    headers = archive_headers(mounted, form) | {"Cache-Control": "no-store"}
    return StreamingHttpResponse(archive_parts(mounted, form), headers=headers)
