"""docs/operations.md names what there is, and nothing else."""

import re

from config.services import down

PAGE = (down.ROOT / "docs" / "operations.md").read_text()


def names(section: str) -> set[str]:
    text = PAGE.split(f"### {section}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return set(re.findall(r"^\| `([A-Z_]+)` \|", text, re.MULTILINE))


def test_every_setting_is_in_the_table_and_no_other():
    code = (down.ROOT / "config" / "settings.py").read_text()

    assert names("Settings") == set(
        re.findall(r"(?:env\.\w+|_rate_limits)\(\s*\"([A-Z_]+)\"", code)
    )


def test_every_variable_of_make_up_is_in_the_table():
    code = "".join(
        (down.ROOT / path).read_text()
        for path in ("config/services/environment.py", "config/services/down.py")
    )
    read = re.findall(r"(?<!os\.)environ(?:\.get\(|, )\"([A-Z_]+)\"", code)

    assert set(read) - {"SECRET_KEY", "ALLOWED_HOSTS"} <= names("Running")


def test_every_target_of_the_makefile_is_told():
    targets = re.findall(r"^(\w+):.*## ", (down.ROOT / "Makefile").read_text(), re.MULTILINE)

    assert [target for target in targets if f"`make {target}`" not in PAGE] == ["help"]
