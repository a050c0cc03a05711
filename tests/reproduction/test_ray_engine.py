from __future__ import annotations

import json
import secrets
import signal
import time
from pathlib import Path

import pytest

from tests.reproduction.fake_reproduce import LONGEST, Command

pytest.importorskip("ray")
SELECTION = ["--row", "randomer", "--seeds", "0", "--jobs", "2", "--engine", "ray"]


@pytest.mark.slow
def test_a_queue_on_ray_runs_survives_failures_and_stops_as_a_local_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """One test for all of it, because to start Ray takes most of the time."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    # Without one, Ray would make a token and keep it in the home folder.
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex())
    runs = tmp_path / "runs/paper"
    command = Command(
        tmp_path,
        "table1",
        *SELECTION,
        FAKE_FAIL="tangrams_default",
        FAKE_HANG="alchemy_epsilon_0.05",
    )
    command.wait_for(runs=2)  # that of scene begins when that of tangrams has failed
    end = time.monotonic() + LONGEST
    while not (tmp_path / "results/table1.json").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    command.process.send_signal(signal.SIGTERM)
    code, out, err = command.end()
    assert code == 143, err
    last = json.loads(out.splitlines()[-1])
    assert last["done"] == 1
    assert last["failed"] == ["paper/tangrams_default.gin seed 0"]
    assert "scene randomer seed 0: done; dev 0.500\n" in err
    assert "tangrams randomer seed 0: failed; error: it broke; see " in err
    assert "alchemy randomer seed 0: stopped\n" in err
    assert "saved and stopped at step" in (runs / "alchemy_epsilon_0.05/seed_0.log").read_text()
