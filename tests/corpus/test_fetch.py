from __future__ import annotations

import dataclasses
import hashlib
import io
import random
import re
import stat
import zipfile
from pathlib import Path

import pytest

from lang2program_tf.cli.main import main
from lang2program_tf.corpus.archives import ARCHIVES, GLOVE
from lang2program_tf.corpus.archives import SCONE as OFFICIAL
from lang2program_tf.corpus.download import Retry
from lang2program_tf.corpus.fetch import fetch
from lang2program_tf.errors import UserError

DOMAINS = ("alchemy", "scene", "tangrams")
SPLITS = ("train", "train-orig", "dev", "test")
SCONE_FILES = {
    f"{d}-{s}.tsv": random.Random(d + s).randbytes(2_000) for d in DOMAINS for s in SPLITS
}
# Its files are made up, so they have other sums than the official ones.
SCONE = dataclasses.replace(OFFICIAL, member_sha256={})
ONCE = Retry(tries=1, timeout=5)


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    return buffer.getvalue()


def scone_zip(folder: str = "scone/", **extra: bytes) -> bytes:
    return zip_of(
        {f"{folder}{name}": content for name, content in {**SCONE_FILES, **extra}.items()}
    )


def tree(root: Path) -> dict[str, bytes]:
    """Every file under a folder, hidden ones too."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


IN_PLACE = {f"scone/{name}": content for name, content in SCONE_FILES.items()}


@pytest.mark.parametrize("folder", ["", "scone/", "a/b/c/"])
def test_members_are_found_wherever_they_are(server, tmp_path, folder):
    server.body = scone_zip(folder, **{"README": b"", "scene-train.tsv.bak": b""})
    done = fetch(SCONE, root=tmp_path, url=server.url)
    assert tree(tmp_path) == IN_PLACE
    assert list(tmp_path.iterdir()) == [done.folder]
    assert done.sha256 == hashlib.sha256(server.body).hexdigest()


def test_only_the_needed_vectors_are_unpacked(server, tmp_path):
    server.body = zip_of({f"glove.6B.{d}d.txt": b"the 0.1\n" * d for d in (50, 100, 300)})
    fetch(dataclasses.replace(GLOVE, sha256=None, size=None), root=tmp_path, url=server.url)
    assert tree(tmp_path) == {"glove/glove.6B.100d.txt": b"the 0.1\n" * 100}


def test_an_archive_without_test_files_will_do(server, tmp_path):
    kept = {name: content for name, content in SCONE_FILES.items() if "-test" not in name}
    server.body = zip_of(kept)
    assert set(fetch(SCONE, root=tmp_path, url=server.url).files) == set(kept)


def test_an_interrupted_download_is_resumed_by_the_next_call(server, tmp_path):
    server.body = scone_zip()
    server.plan = [("cut", 10_000)]
    with pytest.raises(UserError, match="run the same command again"):
        fetch(SCONE, root=tmp_path, url=server.url, retry=ONCE)
    assert not (tmp_path / "scone").exists()
    fetch(SCONE, root=tmp_path, url=server.url, retry=ONCE)
    assert tree(tmp_path) == IN_PLACE
    assert server.requests[1].sent == len(server.body) - 10_000


def test_an_interrupt_while_unpacking_costs_no_second_download(server, tmp_path, monkeypatch):
    server.body = scone_zip()
    with monkeypatch.context() as patched:

        def interrupt(*args):
            raise KeyboardInterrupt

        patched.setattr("lang2program_tf.corpus.fetch.put_in_place", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetch(SCONE, root=tmp_path, url=server.url)
    assert not (tmp_path / "scone").exists()
    fetch(SCONE, root=tmp_path, url=server.url)
    assert tree(tmp_path) == IN_PLACE
    assert len(server.requests) == 1


def flipped(archive: bytes) -> bytes:
    """The archive with one byte of one member's content changed, so that only its CRC tells."""
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        member = zipped.infolist()[-1]
    at = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    return archive[:at] + bytes([archive[at] ^ 0xFF]) + archive[at + 1 :]


BAD_ARCHIVES = {
    "a flipped byte": (flipped(scone_zip()), "not a sound zip"),
    "a web page": (b"<html>please log in</html>", "not a sound zip"),
    "cut short": (scone_zip()[:-500], "not a sound zip"),
    "another archive": (zip_of({"a.txt": b""}), "not the scone archive: no alchemy-train.tsv"),
    "a path outside": (scone_zip(**{"../../scene-dev.tsv": b""}), "leads outside"),
    "an absolute path": (
        zip_of({**SCONE_FILES, "/etc/lang2program": b""}),
        "leads outside",
    ),
    "a windows path": (zip_of({**SCONE_FILES, "..\\x.tsv": b""}), "leads outside"),
    "two of one name": (zip_of({**SCONE_FILES, "old/scene-dev.tsv": b"old"}), "differ"),
}


@pytest.mark.parametrize("kind", BAD_ARCHIVES)
def test_a_bad_archive_leaves_the_data_folder_untouched(server, tmp_path, kind):
    server.body, message = BAD_ARCHIVES[kind]
    root = tmp_path / "in" / "here"
    mine = root / "scone" / "scene-dev.tsv"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"mine")
    with pytest.raises(UserError, match=message):
        fetch(SCONE, root=root, url=server.url, force=True)
    assert tree(tmp_path) == {"in/here/scone/scene-dev.tsv": b"mine"}


def test_after_a_bad_archive_the_next_call_begins_anew(server, tmp_path):
    server.body = flipped(scone_zip())
    with pytest.raises(UserError):
        fetch(SCONE, root=tmp_path, url=server.url)
    server.body = scone_zip()
    fetch(SCONE, root=tmp_path, url=server.url)
    assert tree(tmp_path) == IN_PLACE
    assert server.requests[1].range is None


def test_the_sha256_asked_for_is_enforced(server, tmp_path):
    server.body = scone_zip()
    with pytest.raises(UserError, match="not 00ff; if you know"):
        fetch(SCONE, root=tmp_path, url=server.url, sha256="00FF")
    assert tree(tmp_path) == {}
    fetch(SCONE, root=tmp_path, url=server.url, sha256=hashlib.sha256(server.body).hexdigest())
    assert tree(tmp_path) == IN_PLACE


def test_a_download_must_have_the_known_sums_unless_another_is_given(server, tmp_path):
    server.body = scone_zip()
    with pytest.raises(UserError, match="alchemy-train.tsv is refused: it has sha256"):
        fetch(OFFICIAL, root=tmp_path, url=server.url)
    with pytest.raises(UserError, match="glove.6B.zip is refused: it has sha256"):
        fetch(dataclasses.replace(GLOVE, size=None), root=tmp_path, url=server.url)
    assert tree(tmp_path) == {}
    own = hashlib.sha256(server.body).hexdigest()
    fetch(OFFICIAL, root=tmp_path, url=server.url, sha256=own)
    assert tree(tmp_path) == IN_PLACE


def test_files_with_the_known_sums_are_taken(server, tmp_path):
    server.body = scone_zip()
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in SCONE_FILES.items()}
    fetch(dataclasses.replace(OFFICIAL, member_sha256=sums), root=tmp_path, url=server.url)
    assert tree(tmp_path) == IN_PLACE


@pytest.mark.parametrize("archive", ARCHIVES.values(), ids=lambda archive: archive.name)
def test_every_official_archive_is_known_by_sums(archive):
    assert archive.sha256 or set(archive.member_sha256) == set(archive.required)
    sums = [archive.sha256] if archive.sha256 else archive.member_sha256.values()
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in sums)


def test_the_files_of_the_data_folder_have_the_known_sums(data_dir):
    for name, known in OFFICIAL.member_sha256.items():
        assert hashlib.sha256((data_dir / "scone" / name).read_bytes()).hexdigest() == known


@pytest.mark.parametrize("source", [True, False])
def test_an_archive_that_grows_beyond_its_limit_is_not_unpacked(server, tmp_path, source):
    bomb = {**SCONE_FILES, "scene-test.tsv": bytes(10**6)}
    server.body = zip_of(bomb)
    (tmp_path / "bomb.zip").write_bytes(server.body)
    small = dataclasses.replace(SCONE, max_bytes=10**6)
    with pytest.raises(UserError, match="unpacked it would take 1,022,000 bytes"):
        fetch(
            small,
            root=tmp_path / "data",
            url=server.url,
            source=tmp_path / "bomb.zip" if source else None,
        )
    assert tree(tmp_path / "data") == {}


def test_an_archive_of_another_size_than_the_known_one_is_refused(server, tmp_path):
    server.body = scone_zip()
    with pytest.raises(UserError, match="bytes, not 862,182,613"):
        fetch(GLOVE, root=tmp_path, url=server.url)


def test_what_is_there_is_not_fetched_again_unless_forced(server, tmp_path):
    server.body = scone_zip()
    fetch(SCONE, root=tmp_path, url=server.url)
    (tmp_path / "scone" / "scene-dev.tsv").write_bytes(b"old")
    (tmp_path / "scone" / "notes.txt").write_bytes(b"mine")
    assert fetch(SCONE, root=tmp_path, url=server.url).files == ()
    assert len(server.requests) == 1
    fetch(SCONE, root=tmp_path, url=server.url, force=True)
    assert tree(tmp_path) == {**IN_PLACE, "scone/notes.txt": b"mine"}


def test_a_folder_that_lacks_a_file_is_completed(server, tmp_path):
    server.body = scone_zip()
    fetch(SCONE, root=tmp_path, url=server.url)
    (tmp_path / "scone" / "scene-dev.tsv").unlink()
    fetch(SCONE, root=tmp_path, url=server.url)
    assert tree(tmp_path) == IN_PLACE


def test_an_archive_on_disk_needs_no_server_and_is_kept(tmp_path):
    archive = tmp_path / "got.zip"
    archive.write_bytes(scone_zip())
    fetch(SCONE, root=tmp_path / "data", source=archive)
    assert tree(tmp_path / "data") == IN_PLACE
    assert archive.exists()


def test_a_bad_archive_on_disk_is_kept(tmp_path):
    archive = tmp_path / "got.zip"
    archive.write_bytes(b"no zip")
    with pytest.raises(UserError, match="got.zip is not a sound zip"):
        fetch(SCONE, root=tmp_path / "data", source=archive)
    assert tree(tmp_path) == {"got.zip": b"no zip"}


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot fetch scone into .*file"):
        fetch(SCONE, root=tmp_path / "file", source=Path(__file__))


def test_the_folder_can_be_read_by_whom_the_umask_lets(server, tmp_path):
    server.body = scone_zip()
    folder = fetch(SCONE, root=tmp_path, url=server.url).folder
    plain = tmp_path / "plain"
    plain.mkdir()
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_the_command_prints_folder_and_sha256(server, tmp_path, capsys):
    server.body = scone_zip()
    arguments = ["fetch", "scone", "--url", server.url, "--data_dir", str(tmp_path)]
    arguments += ["--sha256", hashlib.sha256(server.body).hexdigest()]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert f"12 files in {tmp_path / 'scone'}" in out
    assert hashlib.sha256(server.body).hexdigest() in out
    assert main(arguments) == 0
    assert "already in" in capsys.readouterr().out


def test_without_a_network_the_command_says_what_to_do_by_hand(
    refusing_url, waits, tmp_path, capsys
):
    assert main(["fetch", "scone", "--url", refusing_url, "--data_dir", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert f"error: cannot download {refusing_url}: cannot connect" in err
    by_hand = "with a browser and run `lang2program fetch scone --from scone.zip`"
    assert err.endswith(f"; get {SCONE.url} {by_hand}\n"), "nothing has arrived to go on from"
    assert "\n" not in err.partition("error: ")[2].rstrip("\n")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_one_archive_cannot_be_both(tmp_path, capsys):
    assert main(["fetch", "all", "--from", "x.zip", "--data_dir", str(tmp_path)]) == 2
    assert "say scone or glove" in capsys.readouterr().err


def test_a_missing_archive_file_is_named(tmp_path, capsys):
    assert main(["fetch", "glove", "--from", "no.zip", "--data_dir", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "error: there is no file no.zip\n"
