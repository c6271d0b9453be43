from django.urls import path

from memory.api import (
    blame,
    changes,
    diffs,
    documents,
    exports,
    forks,
    refs,
    search,
    stores,
    trees,
    verifications,
    versions,
)

urlpatterns = [
    path("memory-stores", stores.StoresView.as_view()),
    path("memory-stores/<str:id>", stores.StoreView.as_view()),
    path("memory-stores/<str:id>/document", documents.DocumentView.as_view()),
    path("memory-stores/<str:id>/documents", trees.DocumentsView.as_view()),
    path("memory-stores/<str:id>/change-sets", changes.ChangeSetsView.as_view()),
    path("memory-stores/<str:id>/verifications", verifications.VerificationsView.as_view()),
    path("memory-stores/<str:id>/versions", versions.VersionsView.as_view()),
    path("memory-stores/<str:id>/versions/<str:version>", versions.VersionView.as_view()),
    path("memory-stores/<str:id>/history", versions.HistoryView.as_view()),
    path("memory-stores/<str:id>/blame", blame.BlameView.as_view()),
    path("memory-stores/<str:id>/diff", diffs.DiffView.as_view()),
    path("memory-stores/<str:id>/search", search.SearchView.as_view()),
    path("memory-stores/<str:id>/export", exports.ExportView.as_view()),
    path("memory-stores/<str:id>/export-pages", exports.ExportPagesView.as_view()),
    path("memory-stores/<str:id>/fork", forks.ForkView.as_view()),
    path("memory-stores/<str:id>/refs", refs.RefsView.as_view()),
    path("memory-stores/<str:id>/reflog", refs.ReflogView.as_view()),
]
