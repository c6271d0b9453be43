"""Every page of the Console, by name: what screenshots and checks walk over."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from django.urls import reverse
from django.utils.http import urlencode
from playwright.sync_api import Page as Tab

from console.links import compare_url, document_url
from memory.queries.versions import canonical_id, versions_of
from notices.tokens import Confirmation, Unsubscription
from tests.browser.world import World

Who = Literal["nobody", "reviewer", "author", "admin"]


@dataclass(frozen=True)
class Page:
    """A page, as somebody sees it.

    Attributes:
        status: what it answers.
        settled: a selector that appears when scripts have drawn the page.
        then: what the person does next, where the page is the answer to a form.
    """

    name: str
    who: Who
    url: Callable[[World], str]
    status: int = 200
    settled: str = ""
    then: Callable[[Tab], None] | None = None


def _route(name: str, *args: str, **query: str) -> str:
    url = reverse(f"console:{name}", args=args)
    return f"{url}?{urlencode(query)}" if query else url


def _several(proposals: Iterable[str]) -> str:
    chosen = urlencode({"proposal": list(proposals)}, doseq=True)
    return f"{reverse('console:queue-decide')}?{chosen}"


def _version(store: str, back: int) -> str:
    return str(versions_of(store)[back].id)


def _make_key(tab: Tab) -> None:
    tab.get_by_label("Name").fill("Scripts")
    tab.get_by_role("button", name="Make").click()
    tab.wait_for_selector("#secret")


def _send_nothing(tab: Tab) -> None:
    """Past the browser's own check, to see the server's."""
    tab.locator("main form").evaluate("form => form.noValidate = true")
    tab.locator("main form .btn.primary").click()
    tab.wait_for_selector(".errorlist")


def _sign_in_wrongly(tab: Tab) -> None:
    tab.get_by_label("User name").fill("nobody")
    tab.get_by_label("Password").fill("not a password")
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_selector("[role=alert]")


PAGES = (
    Page("sign-in", "nobody", lambda w: _route("sign-in")),
    Page("sign-in-wrong", "nobody", lambda w: _route("sign-in"), then=_sign_in_wrongly),
    Page("queue", "reviewer", lambda w: _route("queue")),
    Page("find-empty", "reviewer", lambda w: _route("find")),
    Page("find", "reviewer", lambda w: _route("find", q="release")),
    Page(
        "find-nothing",
        "reviewer",
        lambda w: _route("find", q="memver_" + "0" * 32),
        status=404,
    ),
    Page("queue-nothing", "admin", lambda w: _route("queue")),
    Page("queue-section", "reviewer", lambda w: _route("queue", section="decided")),
    Page(
        "queue-decide",
        "reviewer",
        lambda w: _several(w.proposals[name] for name in ("fresh", "stale", "hidden", "several")),
    ),
    Page("queue-decide-own", "author", lambda w: _several([w.proposals["fresh"]])),
    Page("queue-filtered", "reviewer", lambda w: _route("queue", q="four")),
    Page("proposal-no-grant", "admin", lambda w: _route("proposal", w.proposals["fresh"]), 403),
    Page("proposal-fresh", "reviewer", lambda w: _route("proposal", w.proposals["fresh"])),
    Page(
        "proposal-split",
        "reviewer",
        lambda w: _route("proposal", w.proposals["fresh"], layout="split"),
    ),
    Page(
        "proposal-comment",
        "reviewer",
        lambda w: _route(
            "proposal", w.proposals["fresh"], comment="/guides/releases.md:head:5", layout="split"
        ),
    ),
    Page(
        "proposal-comment-file",
        "reviewer",
        lambda w: _route(
            "proposal", w.proposals["fresh"], comment="/style/sql.md:head:", layout="unified"
        ),
    ),
    Page("proposal-pick", "reviewer", lambda w: _route("proposal-pick", w.proposals["fresh"])),
    Page("proposal-stale", "reviewer", lambda w: _route("proposal", w.proposals["stale"])),
    Page("proposal-redacted", "reviewer", lambda w: _route("proposal", w.proposals["redacted"])),
    Page(
        "proposal-drift",
        "reviewer",
        lambda w: _route("proposal", w.proposals["conflicted"], show="drift"),
    ),
    Page(
        "proposal-trial",
        "author",
        lambda w: _route("proposal", w.proposals["conflicted"], show="trial"),
    ),
    Page("proposal-merge", "author", lambda w: _route("proposal-merge", w.proposals["conflicted"])),
    Page("proposal-hidden", "reviewer", lambda w: _route("proposal", w.proposals["hidden"])),
    Page("proposal-own", "reviewer", lambda w: _route("proposal", w.proposals["mine"])),
    Page("proposal-several", "admin", lambda w: _route("proposal", w.proposals["several"])),
    Page("proposal-kept", "reviewer", lambda w: _route("proposal", w.proposals["several"])),
    Page("proposal-approved", "author", lambda w: _route("proposal", w.proposals["approved"])),
    Page("proposal-rejected", "author", lambda w: _route("proposal", w.proposals["rejected"])),
    Page("proposal-superseded", "author", lambda w: _route("proposal", w.proposals["superseded"])),
    Page("stores", "reviewer", lambda w: _route("stores")),
    Page("store-new", "reviewer", lambda w: _route("store-new")),
    Page("store-documents", "reviewer", lambda w: _route("store-documents", w.store)),
    Page(
        "store-directory",
        "reviewer",
        lambda w: _route("store-documents", w.store, dir="/guides/"),
    ),
    Page("store-large", "reviewer", lambda w: _route("store-documents", w.imported, dir="/rules/")),
    Page("store-find", "reviewer", lambda w: _route("store-documents", w.imported, q="rule-0")),
    Page(
        "store-at-version",
        "reviewer",
        lambda w: _route("store-documents", w.imported, version=_version(w.imported, 5)),
    ),
    Page("store-search", "reviewer", lambda w: _route("store-search", w.store, words="release")),
    Page("store-search-empty", "reviewer", lambda w: _route("store-search", w.store)),
    Page("store-history", "reviewer", lambda w: _route("store-history", w.store)),
    Page("store-history-long", "reviewer", lambda w: _route("store-history", w.imported)),
    Page(
        "store-history-filtered",
        "reviewer",
        lambda w: _route("store-history", w.store, path="/guides/", kind="proposal"),
    ),
    Page("store-history-branches", "author", lambda w: _route("store-history", w.own)),
    Page(
        "store-history-nothing",
        "reviewer",
        lambda w: _route("store-history", w.store, words="no such"),
    ),
    Page("store-proposals", "reviewer", lambda w: _route("store-proposals", w.store)),
    Page("store-refs", "reviewer", lambda w: _route("store-refs", w.store)),
    Page("store-access", "reviewer", lambda w: _route("store-access", w.store)),
    Page("store-access-admin", "admin", lambda w: _route("store-access", w.store)),
    Page("store-export", "reviewer", lambda w: _route("store-export", w.store)),
    Page(
        "version-fork",
        "reviewer",
        lambda w: _route("version-fork", w.store, canonical_id(w.store)),
    ),
    Page("store-settings", "reviewer", lambda w: _route("store-settings", w.store)),
    Page("store-settings-owner", "author", lambda w: _route("store-settings", w.own)),
    Page("store-settings-rules", "admin", lambda w: _route("store-settings", w.ruled)),
    Page(
        "store-rule-matches",
        "reviewer",
        lambda w: _route("store-rule-matches", w.store, paths="/guides/**"),
    ),
    Page("store-delete", "admin", lambda w: _route("store-delete", w.store)),
    Page(
        "store-erase",
        "admin",
        lambda w: _route("store-erase", w.own, path="/today.md"),
    ),
    Page("store-archived", "admin", lambda w: _route("store-settings", w.archived)),
    Page("store-no-grant", "admin", lambda w: _route("store-documents", w.store), 403),
    Page("document", "reviewer", lambda w: document_url(w.store, "/guides/releases.md")),
    Page(
        "document-source",
        "reviewer",
        lambda w: document_url(w.store, "/guides/releases.md", view="source"),
    ),
    Page(
        "document-blame",
        "reviewer",
        lambda w: document_url(w.store, "/guides/releases.md", view="blame"),
    ),
    Page("document-erased", "reviewer", lambda w: document_url(w.store, "/leaked/token.md"), 404),
    Page("document-gone", "reviewer", lambda w: document_url(w.store, "/old/hours.md"), 404),
    Page(
        "document-hostile",
        "reviewer",
        lambda w: document_url(w.store, "/forum/notes.md", _head_of(w, "hidden"), view="source"),
    ),
    Page(
        "document-old",
        "reviewer",
        lambda w: document_url(w.imported, "/log.md", _version(w.imported, 7)),
    ),
    Page("version-redaction", "reviewer", lambda w: _route("version", w.store, _redaction(w))),
    Page("version", "reviewer", lambda w: _route("version", w.store, canonical_id(w.store))),
    Page(
        "version-large",
        "reviewer",
        lambda w: _route("version", w.imported, _version(w.imported, 60)),
    ),
    Page("compare-empty", "reviewer", lambda w: _route("compare", w.store)),
    Page(
        "compare-half",
        "reviewer",
        lambda w: _route("compare", w.store, base=canonical_id(w.store)),
    ),
    Page(
        "compare-file",
        "reviewer",
        lambda w: (
            compare_url(w.imported, _version(w.imported, 61), canonical_id(w.imported)).replace(
                "/compare", "/compare/file"
            )
            + "&path=/rules/everything.md"
        ),
    ),
    Page(
        "compare",
        "reviewer",
        lambda w: compare_url(w.imported, _version(w.imported, 61), canonical_id(w.imported)),
    ),
    Page("propose-add", "author", lambda w: _route("store-propose", w.store)),
    Page(
        "propose-edit",
        "author",
        lambda w: _route("store-propose", w.store, path="/guides/releases.md"),
    ),
    Page(
        "propose-delete",
        "author",
        lambda w: _route("store-propose", w.store, path="/style/python.md", operation="delete"),
    ),
    Page("sessions", "author", lambda w: _route("sessions")),
    Page("sessions-all", "admin", lambda w: _route("sessions", all="yes", archived="yes")),
    Page("sessions-none", "reviewer", lambda w: _route("sessions")),
    Page("session", "author", lambda w: _route("session", w.sessions["worked"])),
    Page("session-reader", "author", lambda w: _route("session", w.sessions["reader"])),
    Page("session-archived", "author", lambda w: _route("session", w.sessions["archived"])),
    Page("session-calling", "author", lambda w: _route("session", w.sessions["calling"])),
    Page("session-mount", "author", lambda w: _route("session-mount", w.sessions["worked"], "2")),
    Page("session-no-grant", "admin", lambda w: _route("session", w.sessions["worked"])),
    Page("session-events", "author", lambda w: _route("session-events", w.sessions["worked"])),
    Page("session-erase", "admin", lambda w: _route("session-erase", w.sessions["worked"])),
    Page("session-connect", "author", lambda w: _route("session-connect", w.sessions["worked"])),
    Page(
        "session-connect-calling",
        "author",
        lambda w: _route("session-connect", w.sessions["calling"]),
    ),
    Page("session-new", "author", lambda w: _route("session-new")),
    Page("session-new-cannot", "reviewer", lambda w: _route("session-new", store=w.store)),
    Page(
        "session-new-exact",
        "author",
        lambda w: _route("session-new", store=w.imported, version=canonical_id(w.imported)),
    ),
    Page(
        "session-new-erased",
        "author",
        lambda w: _route("session-new", store=w.store, version=canonical_id(w.store)),
    ),
    Page(
        "session-new-picker",
        "author",
        lambda w: _route("session-new", store=w.store, pick="yes"),
    ),
    Page("access", "reviewer", lambda w: _route("access")),
    Page("access-admin", "admin", lambda w: _route("access")),
    Page(
        "access-own",
        "reviewer",
        lambda w: _route("access-explained", who=f"principal:{w.reviewer.id}", store=w.store),
    ),
    Page("access-question", "admin", lambda w: _route("access-explained")),
    Page(
        "access-explained",
        "admin",
        lambda w: _route("access-explained", who=f"principal:{w.author.id}", store=w.store),
    ),
    Page(
        "access-denied",
        "admin",
        lambda w: _route("access-explained", who=f"principal:{w.admin.id}", store=w.store),
    ),
    Page("principals", "admin", lambda w: _route("principals")),
    Page("principal", "admin", lambda w: _route("principals-one", w.author.id)),
    Page("new-person", "admin", lambda w: _route("principals-new-person")),
    Page("new-service", "admin", lambda w: _route("principals-new-service")),
    Page("agents", "admin", lambda w: _route("agents")),
    Page("agent-new", "admin", lambda w: _route("agents-new")),
    Page("agent-new-wrong", "admin", lambda w: _route("agents-new"), then=_send_nothing),
    Page("agent", "admin", lambda w: _route("agents-one", w.agent)),
    Page("environments", "admin", lambda w: _route("environments")),
    Page("environment-new", "admin", lambda w: _route("environments-new")),
    Page("environment", "admin", lambda w: _route("environments-one", w.environment)),
    Page("spaces", "admin", lambda w: _route("spaces")),
    Page("space-new", "admin", lambda w: _route("spaces-new")),
    Page("space", "admin", lambda w: _route("spaces-one", w.space)),
    Page("keys", "admin", lambda w: _route("keys")),
    Page("key-new", "admin", lambda w: _route("keys-new")),
    Page("key-made", "admin", lambda w: _route("keys-new"), then=_make_key),
    Page("jobs", "admin", lambda w: _route("jobs")),
    Page("job-redacted", "admin", lambda w: _route("jobs-one", w.jobs["redacted"])),
    Page("job-done", "admin", lambda w: _route("jobs-one", w.jobs["done"])),
    Page("job-running", "admin", lambda w: _route("jobs-one", w.jobs["running"])),
    Page("job-deleted", "admin", lambda w: _route("jobs-one", w.jobs["deleted"])),
    Page("retention", "admin", lambda w: _route("retention")),
    Page("audit", "admin", lambda w: _route("audit")),
    Page("audit-filtered", "admin", lambda w: _route("audit", event="proposal.", by=w.author.id)),
    Page("audit-wrong", "admin", lambda w: _route("audit", target="nonsense"), 422),
    Page("capabilities", "reviewer", lambda w: _route("capabilities")),
    Page("notices", "reviewer", lambda w: _route("notices")),
    Page("notices-author", "author", lambda w: _route("notices")),
    Page("notices-nothing", "admin", lambda w: _route("notices", unread="yes")),
    Page("notices-preferences", "reviewer", lambda w: _route("notices-preferences")),
    Page(
        "notices-confirm",
        "nobody",
        lambda w: _route("notices-confirm", token=Confirmation(w.reviewer.id, "0" * 32).spell()),
    ),
    Page(
        "notices-unsubscribe",
        "nobody",
        lambda w: _route(
            "notices-unsubscribe", token=Unsubscription(w.reviewer.id, "assigned").spell()
        ),
    ),
    Page("password", "reviewer", lambda w: _route("password")),
    Page("errors", "nobody", lambda w: _route("errors")),
    Page("reference", "reviewer", lambda w: _route("reference"), settled=".opblock-tag"),
    Page("not-found", "reviewer", lambda w: "/no-such-page", 404),
    Page("malformed", "reviewer", lambda w: _route("store-documents", w.store, dir="/../"), 400),
    Page("not-found-visitor", "nobody", lambda w: "/no-such-page", 404),
    Page("forbidden", "reviewer", lambda w: _route("audit"), 403),
)


_SENT = "a form is sent to it, and it answers with a page that is pictured"
NOT_PICTURED = {
    "store-export-whole": "a file",
    "store-export-pages": "a file",
    "reference-schema": "a file",
    "session-mount-archive": "a file",
    "proposal-state": "a part of the Proposal's page",
} | dict.fromkeys(
    (
        "access-revoke",
        "agents-archive",
        "environments-archive",
        "jobs-attest",
        "keys-revoke",
        "notices-ask",
        "notices-open",
        "notices-read",
        "proposal-comment",
        "proposal-comments",
        "proposal-repropose",
        "proposal-respond",
        "proposal-viewed",
        "proposal-withdraw",
        "queue-change-view",
        "queue-save-view",
        "retention-keep",
        "session-archive",
        "session-key-revoke",
        "session-pin",
        "session-release",
        "sign-out",
        "spaces-remove",
        "store-lifecycle",
        "store-verify",
        "tag-add",
        "tag-remove",
        "theme",
        "version-restore",
        "workspace",
    ),
    _SENT,
)
"""Routes of the Console without a picture, and why."""


def _redaction(world: World) -> str:
    return str(versions_of(world.store).filter(kind="redaction")[0].id)


def _head_of(world: World, name: str) -> str:
    from proposals.models import Proposal

    return str(Proposal.objects.get(id=world.proposals[name]).head_id)
