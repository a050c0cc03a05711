"""New versions take the place of old ones, as with TF Serving."""

from __future__ import annotations

import http.client
import json
import time

import pytest

from lang2program_tf.errors import UserError
from lang2program_tf.server import served_model
from lang2program_tf.server.served_model import ServedModel, VersionStatus
from lang2program_tf.server.server import Server
from lang2program_tf.serving import ServingError
from tests.server.fake_models import EchoModel


class FileModel(EchoModel):
    """A version is good if its folder holds a file `good`."""

    def __init__(self, folder):
        super().__init__(int(folder.name))
        self.warm = False
        if not (folder / "good").exists():
            raise UserError(f"{folder.name} is\ndamaged")

    def warm_up(self):
        self.warm = True


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setattr(served_model, "Model", FileModel)
    add(tmp_path, 1)
    return ServedModel("scene", FileModel(tmp_path / "1"), folder=tmp_path)


def add(folder, version, good=True):
    (folder / str(version)).mkdir()
    if good:
        (folder / str(version) / "good").touch()


def test_a_new_version_is_warmed_up_and_takes_the_place_of_the_old_one(served, tmp_path):
    served.refresh()
    assert served.model.version == 1
    add(tmp_path, 3)
    served.refresh()
    assert (served.model.version, served.model.warm) == (3, True)
    assert served.statuses(None) == {3: VersionStatus("AVAILABLE"), 1: VersionStatus("END")}
    assert served.find(3) is served.find(None)
    with pytest.raises(ServingError, match="NOT_FOUND"):
        served.find(1)


def test_a_version_that_is_taken_away_gives_way_to_the_one_before(served, tmp_path):
    add(tmp_path, 2)
    served.refresh()
    (tmp_path / "2" / "good").unlink()
    (tmp_path / "2").rmdir()
    served.refresh()
    assert served.model.version == 1


def test_a_folder_without_versions_changes_nothing(served, tmp_path):
    (tmp_path / "1").rename(tmp_path / "away")
    served.refresh()
    assert served.model.version == 1


def test_a_damaged_version_leaves_the_old_one_and_is_tried_again_a_minute_later(served, tmp_path):
    add(tmp_path, 2, good=False)
    served.refresh(clock=lambda: 100.0)
    assert served.model.version == 1
    assert served.statuses(2) == {2: VersionStatus("END", "2 is damaged")}
    (tmp_path / "2" / "good").touch()
    served.refresh(clock=lambda: 159.0)
    assert served.model.version == 1
    served.refresh(clock=lambda: 160.0)
    assert served.model.version == 2


def test_a_damaged_version_is_tried_six_times_at_most(served, tmp_path):
    add(tmp_path, 2, good=False)
    for minute in range(6):
        served.refresh(clock=lambda minute=minute: 60.0 * minute)
    (tmp_path / "2" / "good").touch()
    served.refresh(clock=lambda: 1e9)
    assert served.model.version == 1


def test_a_server_looks_for_versions_and_tells_their_status(served, tmp_path):
    with Server([served], poll_seconds=0.02) as server:
        add(tmp_path, 2)
        end = time.monotonic() + 10
        while served.model.version == 1 and time.monotonic() < end:
            time.sleep(0.02)
        connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=10)
        connection.request("GET", "/v1/models/scene")
        statuses = json.loads(connection.getresponse().read())["model_version_status"]
        connection.close()
    assert [(s["version"], s["state"]) for s in statuses] == [("2", "AVAILABLE"), ("1", "END")]


def test_an_export_is_followed_unless_one_version_is_named(export_dir):
    assert ServedModel.load(export_dir, warm_up=False).folder == export_dir
    named = ServedModel.load(export_dir / "1", name="mine", warm_up=False)
    assert (named.folder, named.name, named.model.version) == (None, "mine", 1)
