"""Contract §0 "Strict input": whatever is not of the documented form is 400, never a 500."""

from urllib.parse import quote

import pytest

from tests.client import Api, random_id
from tests.factories import make_key

pytestmark = pytest.mark.django_db

AGENTS = "/v1/agents"
DEEP = 100_000

HOSTILE_BODIES = {
    "empty": b"",
    "white space": b"   ",
    "not JSON": b"{",
    "two values": b'{"name": "A"} {"name": "B"}',
    "a list": b"[]",
    "a string": b'"name"',
    "null": b"null",
    "a number": b"1",
    "a byte order mark": b'\xef\xbb\xbf{"name": "A"}',
    "a repeated key": b'{"name": "A", "name": "B"}',
    "a repeated key further down": b'{"name": "A", "x": {"y": 1, "y": 2}}',
    "a repeated key that cannot be printed": b'{"\\ud800": 1, "\\ud800": 2}',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": -Infinity}',
    "an endless number": b'{"name": 1e400}',
    "an endless negative number": b'{"name": -1e400}',
    "an integer beyond 64 bits": b'{"name": 9223372036854775808}',
    "an integer of ten thousand digits": b'{"name": ' + b"9" * 10_000 + b"}",
    "very many fields": b"{" + b",".join(b'"%d": 1' % n for n in range(1_001)) + b"}",
    "deep lists": b'{"name": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"name": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
    "deep lists that hold an escape": b'{"name": ' + b"[" * 900 + b'"\\u0041"' + b"]" * 900 + b"}",
    "a number for a text": b'{"name": 1}',
    "a list for a text": b'{"name": ["A"]}',
    "true for a text": b'{"name": true}',
    "null for a required field": b'{"name": null}',
    "an empty name": b'{"name": ""}',
    "a name of white space": b'{"name": "  "}',
    "a name of two lines": b'{"name": "A\\nB"}',
    "a name that is too long": b'{"name": "' + b"A" * 201 + b'"}',
    "an unknown field": b'{"name": "A", "nmae": "B"}',
    "an unknown field of a huge name": b'{"name": "A", "' + b"n" * 100_000 + b'": 1}',
    "NUL by an escape": b'{"name": "A\\u0000"}',
    "NUL as itself": b'{"name": "A\x00"}',
    "NUL in a field's name": b'{"name": "A", "\\u0000": 1}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "surrogates in the wrong order": b'{"name": "\\udc00\\ud800"}',
    "a surrogate in UTF-8": b'{"name": "\xed\xa0\x80"}',
    "invalid UTF-8": b'{"name": "\xff"}',
    "an overlong encoding": b'{"name": "\xc0\xaf"}',
    "UTF-16": '{"name": "A"}'.encode("utf-16"),
    "nine mebibytes": b'{"name": "' + b"A" * (9 * 1024 * 1024) + b'"}',
    "nine mebibytes of white space": b'{"name": "A"}' + b" " * (9 * 1024 * 1024),
}


@pytest.mark.parametrize("body", HOSTILE_BODIES.values(), ids=HOSTILE_BODIES)
def test_a_hostile_body_is_400_and_writes_nothing(admin_api, body):
    answer = admin_api.request("POST", AGENTS, raw=body)

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert 0 < len(answer.message) < 1_000
    assert admin_api.get(AGENTS).ok()["data"] == []


def test_a_body_of_exactly_the_limit_is_read(admin_api):
    body = b'{"name": "A"}'

    answer = admin_api.request("POST", AGENTS, raw=body + b" " * (8 * 1024 * 1024 - len(body)))

    assert answer.status == 201


@pytest.mark.parametrize("coding", ["chunked", "Chunked", "gzip, chunked"])
def test_a_body_in_pieces_is_refused_and_never_taken_for_none(admin_api, coding):
    agent = admin_api.post(AGENTS, {"name": "Before"}).ok(201)["id"]
    one = f"{AGENTS}/{agent}"

    for method, path in (("PATCH", one), ("POST", f"{one}/archive"), ("GET", one)):
        answer = admin_api.request(method, path, more={"Transfer-Encoding": coding})
        assert (answer.status, answer.error) == (400, "validation.malformed")
    assert admin_api.get(one).ok()["state"] == "active"


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/merge-patch+json",
        "",
    ],
)
def test_a_body_of_another_type_is_400(admin_api, content_type):
    answer = admin_api.request("POST", AGENTS, raw=b'{"name": "A"}', content_type=content_type)

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert "application/json" in answer.message


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"]
)
def test_json_is_taken_by_its_names(admin_api, content_type):
    answer = admin_api.request("POST", AGENTS, raw=b'{"name": "A"}', content_type=content_type)

    assert answer.status == 201


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("nonsense=1", "nonsense"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=-1", "limit"),
        ("limit=+5", "limit"),
        ("limit=5.0", "limit"),
        ("limit=1_0", "limit"),
        ("limit=%D9%A3", "limit"),
        ("limit=" + "9" * 5_000, "limit"),
        ("limit=", "limit"),
        ("limit=5&limit=5", "limit"),
        ("limit=5&limit=6", "limit"),
        ("page=nonsense", "page"),
        ("page=", "page"),
        ("page=" + "A" * 20_000, "page"),
        ("page=WzFd", "page"),
        ("page=WyJ4Il0", "page"),
        ("page=WyJcdTAwMDAiXQ", "page"),
        ("page=%00", "query"),
        ("%00=1", "query"),
        ("limit=%FF", "UTF-8"),
        ("&".join(f"a{number}=1" for number in range(2_000)), ""),
    ],
)
def test_a_query_parameter_that_is_not_documented_is_400(admin_api, query, named):
    answer = admin_api.request("GET", f"{AGENTS}?{query}")

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert named in answer.message


def test_a_route_without_parameters_takes_none(admin_api):
    for path in ("/v1/workspace", "/v1/support/capabilities"):
        assert admin_api.request("GET", f"{path}?limit=5").error == "validation.malformed"
    answer = admin_api.request("POST", f"{AGENTS}?dry_run=1", raw=b'{"name": "A"}')
    assert answer.error == "validation.malformed"
    assert "dry_run" in answer.message


def test_a_route_without_a_body_takes_none(admin_api):
    agent = admin_api.post(AGENTS, {"name": "A"}).ok(201)["id"]

    answer = admin_api.post(f"{AGENTS}/{agent}/archive", {"force": True})

    assert answer.error == "validation.malformed"
    assert admin_api.request("GET", AGENTS, raw=b'{"limit": 5}').error == "validation.malformed"
    assert admin_api.get(f"{AGENTS}/{agent}").ok()["state"] == "active"
    assert admin_api.post(f"{AGENTS}/{agent}/archive", {}).ok()["state"] == "archived"


@pytest.mark.parametrize(
    "id",
    [
        "1",
        "agent_",
        "agent_" + "0" * 31,
        "agent_" + "0" * 33,
        "agent_" + "G" * 32,
        "AGENT_" + "0" * 32,
        "agent_" + "A" * 32,
        "prin_" + "0" * 32,
        quote("agent_" + "0" * 32 + "\n"),
        quote("agent_\x00"),
        "%FF",
        quote("agent_" + "\u0660" * 32),
    ],
)
def test_a_malformed_id_is_400(admin_api, id):
    answer = admin_api.get(f"{AGENTS}/{id}")

    assert (answer.status, answer.error) == (400, "validation.malformed")


def test_every_problem_of_a_body_is_named(admin_api):
    answer = admin_api.post(
        "/v1/permission-assignments",
        {"subject": {"kind": "group"}, "target": {"kind": "store", "id": 1}, "permission": []},
    )

    for field in ("subject.kind", "subject.id", "target.id", "permissions", "permission:"):
        assert field in answer.message


def test_twenty_problems_are_named_and_the_rest_counted(admin_api):
    body = {"name": "A"} | {f"field_{number:02}": 1 for number in range(50)}

    message = admin_api.post(AGENTS, body).message

    assert message.count("unknown field") == 20
    assert message.endswith("and 30 more.")


def test_an_id_of_another_kind_is_malformed(admin_api):
    answer = admin_api.post(
        "/v1/permission-assignments",
        {
            "subject": {"kind": "principal", "id": random_id("agent")},
            "target": {"kind": "workspace", "id": random_id("workspace")},
            "permissions": ["read"],
        },
    )

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert "prin_" in answer.message


@pytest.mark.parametrize(
    "moment",
    [
        *("tomorrow", "2030-01-01", "2030-01-01T00:00:00", 1900000000, ""),
        *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_a_time_without_its_offset_is_malformed(admin_api, moment):
    answer = admin_api.post("/v1/api-keys", {"name": "A", "expires_at": moment})

    assert answer.error == "validation.malformed"
    assert "expires_at" in answer.message


def test_hostile_headers_are_no_500(workspace):
    api = Api(make_key(workspace)[1])
    for name in ("Checkfu-Version", "Checkfu-Acting-Principal", "X-Request-Id", "Accept"):
        for value in ("\x7f", "Ã¿", "x" * 10_000, "*/*;q=x"):
            answer = api.request("GET", "/v1/workspace", more={name: value})
            assert answer.status in {200, 400}
