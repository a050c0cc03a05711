"""Changes files of recordings, and says what the comparison finds then."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable

from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.registry import find_checks
from tests.parity.small_recordings import alter

SMALL = 1e-3


@contextmanager
def altered(path: Path, change: Callable[[Any], None]) -> Iterator[None]:
    """Within it, the file is changed."""
    kept = path.with_name(f".{path.name}")
    path.rename(kept)
    shutil.copyfile(kept, path)
    try:
        alter(path, change)
        yield
    finally:
        path.unlink()
        kept.rename(path)


def run(folder: RecordingsFolder, section: str, name: str, **options: Any) -> list[Comparison]:
    checks = find_checks(folder, sections=[section], **options)
    (check,) = [check for check in checks if check.name == name]
    return check.run()


def differences(folder: RecordingsFolder, section: str, name: str, **options: Any) -> list[str]:
    """The first differences; none of the comparisons may have failed in another way."""
    comparisons = run(folder, section, name, **options)
    assert [comparison.problem for comparison in comparisons if comparison.problem] == []
    return [str(difference) for comparison in comparisons for difference in comparison.first]


def first(records, wanted):
    return next(record for record in records if wanted(record))


def swap_first(values):
    values[0], values[1] = values[1], values[0]
