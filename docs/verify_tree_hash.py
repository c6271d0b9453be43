"""Hash the trees in the JSON files named, as tree-hash.md has it, and compare what they publish."""

import json
import sys
from hashlib import sha256
from pathlib import Path

PAGE, TREE, DIFF = (b"checkfu.memory.%s.v1\n" % name for name in (b"page", b"tree", b"diff"))
NOTHING = (b"-", b"-")


def spell(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


def fields(document: dict[str, str]) -> tuple[bytes, bytes]:
    digest = document.get("content_sha256") or spell(document["content"].encode())
    return digest.encode(), document["media_type"].encode()


def hashes(base: list[dict[str, str]], head: list[dict[str, str]]) -> dict[str, str]:
    old, new = ({d["path"].encode(): fields(d) for d in side} for side in (base, head))
    tree, page, diff = TREE, b"", DIFF
    for path in (paths := sorted(new)):
        page += b"\0".join([path, *new[path]]) + b"\n"
        if sha256(path).digest()[-1] % 64 == 0 or path == paths[-1]:
            tree, page = tree + sha256(PAGE + page).digest(), b""
    for path in sorted({*old, *new}):
        before, after = old.get(path, NOTHING), new.get(path, NOTHING)
        diff += b"\0".join([path, *before, *after]) + b"\n" if before != after else b""
    return {"tree_hash": spell(tree), "diff_hash": spell(diff)}


status = 0
for case in (case for name in sys.argv[1:] for case in json.loads(Path(name).read_bytes())):
    for name, found in hashes(case.get("base", []), case["documents"]).items():
        status |= case.get(name, found) != found
        print(found, name, "ok" if case.get(name, found) == found else f"but says {case[name]}")
sys.exit(status)
