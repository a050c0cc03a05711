"""All sections of recordings, in one place: what tests and the command line run over."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable
from typing import Any, Callable, NamedTuple

from lang2program_tf.errors import UserError
from lang2program_tf.parity.comparison import Comparison
from lang2program_tf.parity.folder import RecordingsFolder
from lang2program_tf.parity.sections import (
    beams,
    checkpoint,
    dataset,
    executor,
    gradients,
    model,
    selection,
    weights,
)


class Section(NamedTuple):
    """A kind of recording.

    Attributes:
        find: the names of the recordings of this kind in a folder.
        check: compares one of them.
    """

    find: Callable[[RecordingsFolder], list[str]]
    check: Callable[..., Iterable[Comparison]]


SECTIONS = {
    module.NAME: Section(module.find, module.check)
    for module in (executor, selection, model, beams, weights, gradients, dataset, checkpoint)
}


class Check(NamedTuple):
    """One recording to compare.

    Attributes:
        section: its kind.
        name: which of this kind.
        compare: compares it.
    """

    section: str
    name: str
    compare: Callable[[], Iterable[Comparison]]

    def run(self) -> list[Comparison]:
        """Compares the recording; one that cannot be read is a comparison with a problem."""
        done = []
        try:
            for comparison in self.compare():
                done.append(comparison)
        except UserError as error:
            failed = Comparison(self.section, self.name)
            failed.problem = str(error)
            done.append(failed)
        return done


def find_checks(
    folder: RecordingsFolder,
    *,
    sections: Collection[str] = (),
    executors: Iterable[str] = executor.EXECUTORS,
) -> list[Check]:
    """What can be compared in a folder.

    Args:
        folder: the recordings.
        sections: those to compare, all that the folder holds if there are none.
        executors: those to compare with the recorded walks.

    Raises:
        UserError: the folder holds no recording, or not one of a section that was asked for.
    """
    checks = []
    for section, (find, compare) in SECTIONS.items():
        if sections and section not in sections:
            continue
        options: dict[str, Any] = {"executors": executors} if section == executor.NAME else {}
        names = find(folder)
        if section in sections and not names:
            raise UserError(f"{folder.path} holds no recording of section {section!r}")
        checks += [
            Check(section, name, functools.partial(compare, folder, name, **options))
            for name in names
        ]
    if not checks:
        raise UserError(f"{folder.path} holds no recording of any section: {', '.join(SECTIONS)}")
    return checks
