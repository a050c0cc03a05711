from __future__ import annotations

import random
import urllib.request
from pathlib import Path

import pytest

from lang2program_tf.corpus.download import DownloadError, Retry, _StayOnTheWeb
from lang2program_tf.corpus.download import download as download_up_to

BODY = random.Random(0).randbytes(300_000)
ONCE = Retry(tries=1, timeout=5)


def download(url, target, *, max_bytes=300_000, **options) -> None:
    download_up_to(url, target, max_bytes=max_bytes, **options)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "archive.zip"


@pytest.fixture(autouse=True)
def served(server) -> None:
    server.body = BODY


def test_a_file_arrives_whole(server, target):
    download(server.url, target)
    assert target.read_bytes() == BODY
    assert not target.with_name("archive.zip.part").exists()


def test_an_interrupted_download_resumes_with_fewer_bytes(server, target):
    server.plan = [("cut", 200_000)]
    with pytest.raises(DownloadError, match="closed after 200000 of 300000 bytes"):
        download(server.url, target, retry=ONCE)
    assert not target.exists()
    download(server.url, target, retry=ONCE)
    assert target.read_bytes() == BODY
    assert server.requests[1] == ("bytes=200000-", 100_000)


def test_a_cut_connection_is_resumed_within_one_call(server, target, waits):
    server.plan = [("cut", 100_000), ("cut", 100_000)]
    download(server.url, target)
    assert target.read_bytes() == BODY
    assert [request.sent for request in server.requests] == [100_000] * 3


def test_a_server_that_ignores_ranges_restarts_cleanly(server, target, waits):
    server.ranges = False
    server.plan = [("cut", 200_000)]
    download(server.url, target)
    assert target.read_bytes() == BODY
    assert [request.sent for request in server.requests] == [200_000, 300_000]


def test_without_a_validator_nothing_is_joined(server, target, waits):
    server.validators = False
    server.plan = [("cut", 200_000)]
    download(server.url, target)
    assert target.read_bytes() == BODY
    assert [request.range for request in server.requests] == [None, None]


def test_a_file_that_changed_on_the_server_is_not_mixed_with_the_old_one(server, target):
    server.plan = [("cut", 200_000)]
    with pytest.raises(DownloadError):
        download(server.url, target, retry=ONCE)
    server.body = bytes(300_000)
    download(server.url, target, retry=ONCE)
    assert target.read_bytes() == server.body


def test_another_address_does_not_continue_the_first_ones_bytes(server, target):
    server.plan = [("cut", 200_000)]
    with pytest.raises(DownloadError):
        download(server.url, target, retry=ONCE)
    download(server.url + "?mirror", target, retry=ONCE)
    assert server.requests[1].range is None
    assert target.read_bytes() == BODY


def test_a_part_that_is_whole_needs_no_request(server, target):
    server.plan = [("cut", 200_000)]
    with pytest.raises(DownloadError):
        download(server.url, target, retry=ONCE)
    target.with_name("archive.zip.part").write_bytes(BODY)
    download(server.url, target, retry=ONCE)
    assert target.read_bytes() == BODY
    assert len(server.requests) == 1


def test_a_damaged_origin_file_restarts_the_download(server, target):
    server.plan = [("cut", 200_000)]
    with pytest.raises(DownloadError):
        download(server.url, target, retry=ONCE)
    target.with_name("archive.zip.part.json").write_text("{")
    download(server.url, target, retry=ONCE)
    assert target.read_bytes() == BODY


def test_a_range_the_server_cannot_satisfy_restarts_the_download(server, target, waits):
    server.plan = [("cut", 200_000), 416]
    download(server.url, target)
    assert [request.range for request in server.requests] == [None, "bytes=200000-", None]
    assert target.read_bytes() == BODY


def test_server_errors_are_retried_with_growing_waits(server, target, waits):
    server.plan = [500, 503, 429]
    download(server.url, target)
    assert target.read_bytes() == BODY
    assert waits == [1.0, 2.0, 4.0]


def test_a_missing_file_is_not_retried(server, target, waits):
    server.plan = [404]
    with pytest.raises(DownloadError, match="404"):
        download(server.url, target)
    assert len(server.requests) == 1


def test_a_silent_server_is_asked_again(server, target, waits):
    server.plan = [("stall", 0.6)]
    download(server.url, target, retry=Retry(timeout=0.2))
    assert target.read_bytes() == BODY
    assert waits == [1.0]


def test_gained_bytes_make_it_patient_again(server, target, waits):
    server.plan = [("cut", 50_000)] * 4
    download(server.url, target, retry=Retry(tries=2))
    assert target.read_bytes() == BODY
    assert waits == [1.0] * 4


def test_a_server_that_always_cuts_at_one_place_is_given_up(server, target, waits):
    server.ranges = False
    server.plan = [("cut", 50_000)] * 100
    with pytest.raises(DownloadError, match="closed after 50000"):
        download(server.url, target, retry=Retry(tries=3))
    assert len(server.requests) == 3


def test_a_server_that_is_not_there_is_given_up(refusing_url, target, waits):
    with pytest.raises(DownloadError, match="cannot connect"):
        download(refusing_url, target)
    assert waits == [1.0, 2.0, 4.0, 8.0]


def test_only_web_addresses_are_opened(target):
    with pytest.raises(DownloadError, match="not an http"):
        download(Path(__file__).as_uri(), target)


@pytest.mark.parametrize("known", [True, False])
def test_a_file_that_is_too_long_is_refused_and_nothing_of_it_kept(server, target, known):
    server.lengths = known
    with pytest.raises(DownloadError, match="longer than 299,999 bytes"):
        download(server.url, target, max_bytes=len(BODY) - 1)
    assert list(target.parent.iterdir()) == []
    assert len(server.requests) <= 1  # the server may still be about to write it down


def test_a_redirection_is_followed_on_the_web(server, target):
    server.plan = [("redirect", server.url + "?other")]
    download(server.url, target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("elsewhere", ["ftp://127.0.0.1/archive.zip", "file:///etc/hostname"])
def test_a_redirection_elsewhere_is_not_followed(server, target, elsewhere):
    server.plan = [("redirect", elsewhere)]
    with pytest.raises(DownloadError, match="not followed|not allowed"):
        download(server.url, target)
    assert list(target.parent.iterdir()) == []


def test_a_redirection_from_https_to_http_is_not_followed():
    secure = urllib.request.Request("https://example.org/a.zip")
    with pytest.raises(DownloadError, match="from https to http://example.org/b.zip"):
        _StayOnTheWeb().redirect_request(secure, None, 302, "", {}, "http://example.org/b.zip")
