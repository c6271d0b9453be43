from django.contrib.auth.views import LogoutView
from django.urls import path

from console import converters
from console.views import (
    access,
    account,
    agents,
    audit,
    capabilities,
    commenting,
    deciding,
    documents,
    environments,
    erasure,
    errors,
    explaining,
    exports,
    finding,
    forks,
    history,
    jobs,
    keys,
    merging,
    new_session,
    notice_preferences,
    notices,
    picking,
    principals,
    proposals,
    proposing,
    queue,
    redacting,
    reference,
    rule_matches,
    saved_views,
    search,
    session_connect,
    session_erasure,
    session_events,
    session_mounts,
    sessions,
    spaces,
    store_settings,
    stores,
    tags,
    versions,
    viewing,
)

converters.register_all()

app_name = "console"

account_urls = [
    path("sign-in", account.SignIn.as_view(), name="sign-in"),
    path("sign-out", LogoutView.as_view(next_page="console:sign-in"), name="sign-out"),
    path("password", account.password, name="password"),
    path("workspace", account.workspace, name="workspace"),
    path("theme", account.theme, name="theme"),
]

# /notices…
notice_urls = [
    path("notices", notices.notice_list, name="notices"),
    path("notices/open", notices.open_notice, name="notices-open"),
    path("notices/read", notices.read_all, name="notices-read"),
    path("notices/preferences", notice_preferences.preferences, name="notices-preferences"),
    path("notices/ask", notice_preferences.send_again, name="notices-ask"),
    path("notices/confirm", notice_preferences.confirm, name="notices-confirm"),
    path("notices/unsubscribe", notice_preferences.end, name="notices-unsubscribe"),
]

# /find
finding_urls = [path("find", finding.find_page, name="find")]

# /stores…
store_urls = [
    path("stores", stores.store_list, name="stores"),
    path("stores/new", store_settings.new_store, name="store-new"),
    path("stores/<store:store_id>", stores.documents, name="store-documents"),
    path("stores/<store:store_id>/search", search.search, name="store-search"),
    path("stores/<store:store_id>/history", history.history, name="store-history"),
    path("stores/<store:store_id>/proposals", proposals.store_proposals, name="store-proposals"),
    path("stores/<store:store_id>/propose", proposing.propose, name="store-propose"),
    path("stores/<store:store_id>/refs", stores.ref_list, name="store-refs"),
    path("stores/<store:store_id>/access", access.store_access, name="store-access"),
    path("stores/<store:store_id>/export", exports.export, name="store-export"),
    path("stores/<store:store_id>/export/whole", exports.export_whole, name="store-export-whole"),
    path("stores/<store:store_id>/export/pages", exports.export_pages, name="store-export-pages"),
    path("stores/<store:store_id>/settings", store_settings.settings, name="store-settings"),
    path(
        "stores/<store:store_id>/settings/matches",
        rule_matches.rule_matches,
        name="store-rule-matches",
    ),
    path("stores/<store:store_id>/lifecycle", store_settings.lifecycle, name="store-lifecycle"),
    path("stores/<store:store_id>/verify", jobs.verify, name="store-verify"),
    path("stores/<store:store_id>/erase", redacting.erase, name="store-erase"),
    path("stores/<store:store_id>/delete", erasure.delete, name="store-delete"),
    path("stores/<store:store_id>/document", documents.document, name="document"),
    path("stores/<store:store_id>/versions/<version:version_id>", versions.version, name="version"),
    path(
        "stores/<store:store_id>/versions/<version:version_id>/restore",
        proposing.restore,
        name="version-restore",
    ),
    path(
        "stores/<store:store_id>/versions/<version:version_id>/fork",
        forks.fork,
        name="version-fork",
    ),
    path("stores/<store:store_id>/versions/<version:version_id>/tags", tags.add, name="tag-add"),
    path(
        "stores/<store:store_id>/versions/<version:version_id>/tags/remove",
        tags.remove,
        name="tag-remove",
    ),
    path("stores/<store:store_id>/compare", versions.compare, name="compare"),
    path("stores/<store:store_id>/compare/file", versions.compare_file, name="compare-file"),
]

# / and /proposals…
proposal_urls = [
    path("", queue.queue, name="queue"),
    path("decide", deciding.decide_several, name="queue-decide"),
    path("views/save", saved_views.keep, name="queue-save-view"),
    path("views/change", saved_views.change, name="queue-change-view"),
    path("proposals/<proposal:proposal_id>", proposals.proposal, name="proposal"),
    path("proposals/<proposal:proposal_id>/state", proposals.state, name="proposal-state"),
    path("proposals/<proposal:proposal_id>/respond", proposals.decide, name="proposal-respond"),
    path("proposals/<proposal:proposal_id>/withdraw", proposals.withdraw, name="proposal-withdraw"),
    path(
        "proposals/<proposal:proposal_id>/repropose",
        merging.propose_again,
        name="proposal-repropose",
    ),
    path("proposals/<proposal:proposal_id>/viewed", viewing.mark, name="proposal-viewed"),
    path("proposals/<proposal:proposal_id>/pick", picking.pick, name="proposal-pick"),
    path("proposals/<proposal:proposal_id>/comments", commenting.add, name="proposal-comments"),
    path(
        "proposals/<proposal:proposal_id>/comments/<comment:comment_id>",
        commenting.change,
        name="proposal-comment",
    ),
    path("proposals/<proposal:proposal_id>/merge", merging.merge, name="proposal-merge"),
]

# /sessions…
session_urls = [
    path("sessions", sessions.session_list, name="sessions"),
    path("sessions/new", new_session.new_session, name="session-new"),
    path("sessions/<session:session_id>", sessions.session, name="session"),
    path("sessions/<session:session_id>/events", session_events.events, name="session-events"),
    path("sessions/<session:session_id>/connect", session_connect.connect, name="session-connect"),
    path(
        "sessions/<session:session_id>/keys/<api_key:key_id>/revoke",
        session_connect.revoke,
        name="session-key-revoke",
    ),
    path(
        "sessions/<session:session_id>/mounts/<int:position>",
        session_mounts.mount,
        name="session-mount",
    ),
    path(
        "sessions/<session:session_id>/mounts/<int:position>/archive",
        session_mounts.archive,
        name="session-mount-archive",
    ),
    path("sessions/<session:session_id>/erasure", session_erasure.erase, name="session-erase"),
    path("sessions/<session:session_id>/archive", sessions.archive, name="session-archive"),
    path(
        "sessions/<session:session_id>/refs/<store:store_id>/pin",
        sessions.pin,
        name="session-pin",
    ),
    path(
        "sessions/<session:session_id>/refs/<store:store_id>/release",
        sessions.release,
        name="session-release",
    ),
]

# /access…, /principals…, /agents…, /environments…, /spaces…, /keys…, /retention…, /audit
access_urls = [
    path("access", access.access, name="access"),
    path("access/explained", explaining.explain_access, name="access-explained"),
    path(
        "access/<permission_assignment:assignment_id>/revoke",
        access.revoke_assignment,
        name="access-revoke",
    ),
    path("principals", principals.principal_list, name="principals"),
    path("principals/new-person", principals.new_person, name="principals-new-person"),
    path("principals/new-service", principals.new_service, name="principals-new-service"),
    path("principals/<principal:principal_id>", principals.principal, name="principals-one"),
    path("agents", agents.agent_list, name="agents"),
    path("agents/new", agents.new_agent, name="agents-new"),
    path("agents/<agent:agent_id>", agents.agent, name="agents-one"),
    path("agents/<agent:agent_id>/archive", agents.archive, name="agents-archive"),
    path("environments", environments.environment_list, name="environments"),
    path("environments/new", environments.new_environment, name="environments-new"),
    path(
        "environments/<environment:environment_id>",
        environments.environment,
        name="environments-one",
    ),
    path(
        "environments/<environment:environment_id>/archive",
        environments.archive,
        name="environments-archive",
    ),
    path("spaces", spaces.space_list, name="spaces"),
    path("spaces/new", spaces.new_space, name="spaces-new"),
    path("spaces/<collaboration_space:space_id>", spaces.space, name="spaces-one"),
    path("spaces/<collaboration_space:space_id>/remove", spaces.remove, name="spaces-remove"),
    path("keys", keys.key_list, name="keys"),
    path("keys/new", keys.new_key, name="keys-new"),
    path("keys/<api_key:key_id>/revoke", keys.revoke, name="keys-revoke"),
    path("retention", erasure.retention, name="retention"),
    path("retention/keep", erasure.keep_again, name="retention-keep"),
    path("audit", audit.log, name="audit"),
]

job_urls = [
    path("jobs", jobs.job_list, name="jobs"),
    path("jobs/<job:job_id>", jobs.job, name="jobs-one"),
    path("jobs/<job:job_id>/attest", erasure.attest, name="jobs-attest"),
]

reference_urls = [
    path("reference", reference.reference, name="reference"),
    path("reference/openapi.json", reference.schema, name="reference-schema"),
    path("capabilities", capabilities.capability_list, name="capabilities"),
    path("errors", errors.reference, name="errors"),
]

urlpatterns = [
    *account_urls,
    *notice_urls,
    *proposal_urls,
    *finding_urls,
    *store_urls,
    *session_urls,
    *access_urls,
    *job_urls,
    *reference_urls,
]
