import pytest

from wire.ids import (
    PREFIXES,
    MalformedId,
    id_from_uuid,
    kind_among,
    new_id,
    parse_id,
    uuid_from_id,
)

HEX = "0192f3a4b5c67d8e9fa0b1c2d3e4f506"


@pytest.mark.parametrize("kind", PREFIXES)
def test_a_new_id_is_its_prefix_and_the_hex_of_a_uuid7(kind):
    made = new_id(kind)

    assert made.startswith(f"{PREFIXES[kind]}_")
    assert uuid_from_id(made).version == 7
    assert parse_id(kind, made) == made
    assert id_from_uuid(kind, uuid_from_id(made)) == made


def test_ids_rise_with_time():
    made = [new_id("agent") for _ in range(1_000)]

    assert made == sorted(made)


def test_a_snapshot_may_be_spelled_as_exports_spell_it():
    assert parse_id("version", f"mrev_{HEX}") == f"memver_{HEX}"
    with pytest.raises(MalformedId):
        parse_id("agent", f"mrev_{HEX}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEX,
        f"agent{HEX}",
        f"agent_{HEX[1:]}",
        f"agent_{HEX}0",
        f"agent_{HEX.upper()}",
        f" agent_{HEX}",
        f"agent_{HEX}\n",
        f"prin_{HEX}",
        "agent_" + "\u0660" * 32,
        None,
        7,
    ],
)
def test_anything_else_is_malformed(text):
    with pytest.raises(MalformedId, match="agent_"):
        parse_id("agent", text)


def test_the_prefix_tells_the_kind_among_some():
    assert kind_among(["principal", "agent"], f"agent_{HEX}") == "agent"
    assert kind_among(["version"], f"mrev_{HEX}") == "version"
    with pytest.raises(MalformedId, match="prin_ or agent_"):
        kind_among(["principal", "agent"], f"space_{HEX}")


def test_what_holds_no_uuid_is_malformed():
    with pytest.raises(MalformedId):
        uuid_from_id("agent_")
