"""The error reference and the API reference."""

from console.error_guide import GUIDE
from tests.client import Api
from tests.console.conftest import Reader, Scene
from wire.errors import CATALOGUE


def test_every_type_is_explained_under_its_anchor(visitor: Reader) -> None:
    page = visitor.text("/errors")
    assert set(GUIDE) == set(CATALOGUE)
    for kind in CATALOGUE:
        anchor = kind.type.replace(".", "-").replace("_", "-")
        assert f'id="{anchor}"' in page
        assert f"<code>{kind.type}</code>" in page


def test_errors_of_the_api_lead_to_an_anchor(visitor: Reader) -> None:
    more = Api().get("/v1/memory-stores").body["error"]["more"]
    assert f'id="{more.partition("#")[2]}"' in visitor.text("/errors")


def test_the_document_is_the_generated_one(scene: Scene, author: Reader) -> None:
    answer = author.get("/reference/openapi.json")
    assert answer.status_code == 200
    assert "/v1/memory-stores" in answer.content.decode()
    assert "data-schema" in author.text("/reference")
