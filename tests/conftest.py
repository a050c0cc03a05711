"""Data from outside the repository (LANG2PROGRAM_DATA), and what takes long to make."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib.util
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Callable

import pytest

from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults

if TYPE_CHECKING:
    from lang2program_tf.serving.model import Model

# With other threads than commands have, numbers would differ in their last bits from those of
# commands that tests start.
set_tensorflow_defaults()

if importlib.util.find_spec("aiohttp") is None:  # the extra `serve` needs Python 3.10
    collect_ignore_glob = ["server/*", "playground/*", "**/cli/test_*serve.py", "cli/test_play*.py"]


# What takes long to make or to read: whoever asks for it is slow, though another may have waited.
_SLOW_FIXTURES = {"export_dir", "exported_model", "parity_dir", "runs", "window"}


_HERE = Path(__file__).parent
# Each takes more than 20 seconds of a core, the first two minutes.
_LONGEST = (
    "learning/test_workers.py",
    "learning/test_it_learns.py",
    "dev/cli/test_benchmark.py",
    "cli/test_train.py",
    "dev/cli/test_benchmark_serve.py",
    "test_examples.py",
    "learning/test_loop.py",
    "serving/test_export_turns.py",
    "playground/test_page.py",
    "test_shipped_gin.py",
    "serving/test_exported_parser.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files come first, so that none is left when other processes are done."""
    for item in items:
        if _SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    places = {_HERE / name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: (places.get(item.path, len(places)), -slow[item.path]))


@pytest.fixture(scope="module", autouse=True)
def _graphs_are_as_built() -> None:
    """To optimize a graph takes long; processes that tests start do it."""
    if "tensorflow" in sys.modules:
        options = {"disable_meta_optimizer": True}
        sys.modules["tensorflow"].config.optimizer.set_experimental_options(options)


@pytest.fixture(scope="module", autouse=True)
def _garbage_is_looked_for_now_and_then() -> None:
    """And not in all of TensorFlow: files that build graphs take a tenth less."""
    if "tensorflow" in sys.modules and not gc.get_freeze_count():
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 10, 10)


@pytest.fixture(scope="module", autouse=True)
def _nothing_stays() -> Iterator[None]:
    """What a file of tests binds in gin is not there for the next, nor are its graphs in memory."""
    began = time.process_time()
    yield
    # Graphs refer to themselves, and are large. What took a moment has left little.
    if time.process_time() - began > 3:
        _forget_gradients()
        gc.collect()
        with contextlib.suppress(AttributeError):  # only glibc keeps what was freed, and has this
            ctypes.CDLL(None).malloc_trim(0)
    if "gin" in sys.modules:
        sys.modules["gin"].clear_config()


def _forget_gradients() -> None:
    """TensorFlow has a list of all gradients of our own (`model/lstm.py`), which hold their graphs.

    Nothing else ever leaves that list: a process of all tests would come to hold 10 GB.
    """
    if "tensorflow" in sys.modules:
        from tensorflow.python.framework.ops import gradient_registry

        for name in [name for name in gradient_registry.list() if name.startswith("CustomGrad")]:
            del gradient_registry._registry[name]


@pytest.fixture
def eagerly() -> Iterator[None]:
    """Nothing is built: for what takes a few steps, and is not about graphs."""
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with `scone/`, `glove/` and `parity/`; tests that ask for it skip without it."""
    value = os.environ.get("LANG2PROGRAM_DATA", "")
    if not value or not Path(value).is_dir():
        pytest.skip("LANG2PROGRAM_DATA names no folder")
    return Path(value)


@pytest.fixture(scope="session")
def parity_dir(data_dir: Path) -> Path:
    """The folder of recordings of the original system."""
    folder = data_dir / "parity"
    if not folder.is_dir():
        pytest.skip(f"no recordings in {data_dir}")
    return folder


@pytest.fixture(scope="session")
def parity_file(parity_dir: Path) -> Callable[[str], Path]:
    """Finds a recording by name; one that is missing from the folder is a failure, not a skip."""

    def find(name: str) -> Path:
        path = parity_dir / name
        if not path.exists():
            pytest.fail(f"no recording {name} in {parity_dir}")
        return path

    return find


@pytest.fixture(scope="session")
def export_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with version 1 of an exported parser of scene; it was moved after it was made."""
    own = tmp_path_factory.getbasetemp()
    # Processes of one run of the tests have folders side by side, and make one export for all.
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    made = common / "exported_scene"
    with open(common / "exported_scene.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            from tests.serving import exports  # imports TensorFlow

            folder = tmp_path_factory.mktemp("exporting") / "scene"
            exports.export_scene(folder)
            folder.rename(made)
    return shutil.copytree(made, tmp_path_factory.mktemp("exported") / "scene")


@pytest.fixture(scope="session")
def exported_model(export_dir: Path) -> Model:
    """The exported parser, loaded."""
    from lang2program_tf.serving.model import Model  # imports TensorFlow

    return Model(export_dir)
