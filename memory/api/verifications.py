"""/v1/memory-stores/{id}/verifications: have a store computed again from its rows."""

from rest_framework.request import Request
from rest_framework.response import Response

from jobs.api.jobs import JobOut, render_job
from memory.access import open_store
from memory.actions.verifications import request_verification
from tenancy.api.base import ApiView, caller_of
from wire.errors import NotFound
from wire.operations import operation
from wire.parsing import parse_nothing, parse_path_id


class VerificationsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.verifyMemoryStore",
        summary="Have a store verified",
        answers={202: JobOut},
        errors=(NotFound,),
    )
    def post(self, request: Request, id: str) -> Response:
        """A job computes pages, hashes, parents, refs and counts again and tells what differs.

        Needs an admin key, or `admin` on the store. While one waits or runs, it is answered again.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        return Response(render_job(request_verification(access=access)), status=202)
