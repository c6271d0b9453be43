import pytest

from tenancy import registry
from wire.ids import new_id


@pytest.fixture
def empty(monkeypatch):
    monkeypatch.setattr(registry, "_existence", {})


def test_nobody_exists_of_a_kind_that_nobody_answers_for(empty):
    assert not registry.exists("session", new_id("workspace"), new_id("session"))


def test_the_room_that_registered_a_kind_answers(empty):
    workspace, session = new_id("workspace"), new_id("session")
    registry.register_existence("session", lambda *asked: asked == (workspace, session))

    assert registry.exists("session", workspace, session)
    assert not registry.exists("session", new_id("workspace"), session)


def test_a_kind_has_one_owner(empty):
    registry.register_existence("session", lambda *asked: True)

    with pytest.raises(ValueError, match="session"):
        registry.register_existence("session", lambda *asked: False)
