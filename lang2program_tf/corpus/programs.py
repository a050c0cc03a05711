"""The memory of programs: all programs of one command for every turn, listed once and kept."""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lang2program_tf import language
from lang2program_tf.corpus.data_dir import cache_dir
from lang2program_tf.corpus.scone import Example
from lang2program_tf.errors import UserError
from lang2program_tf.files import write_atomically
from lang2program_tf.language import (
    MAX_TOKENS,
    Domain,
    State,
    commands_between,
    get_domain,
    programs_between,
)

NO_TOKEN = -1
CHUNK = 200  # turns that a process takes at a time
WORTH_A_PROCESS = 2000  # turns; fewer are listed in less time than a process starts


class ProgramMemory(NamedTuple):
    """All programs of one command for each of N turns; T programs altogether.

    Attributes:
        tokens: [T, 7] int8, ids of tokens, the indices in `domain.tokens`; −1 behind the end. The
            programs of a turn are in the order of their lengths.
        commands: [T] int8, which of `commands_between` the worlds of its turn a program performs.
        offsets: [N + 1] int64; the programs of turn n are the rows from offsets[n] to offsets[n +
            1].
    """

    tokens: NDArray[np.int8]
    commands: NDArray[np.int8]
    offsets: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """[N] how many programs each turn has."""
        return np.diff(self.offsets)


class _Turn(NamedTuple):
    start: State
    target: str


def load_programs(domain: Domain, examples: Sequence[Example]) -> ProgramMemory:
    """The programs of turns, or of other examples of one utterance, from the cache if it has them.

    A file of the cache belongs to certain turns and to the language as it is: its name is made of
    both, so that another is made when one of them changes.
    """
    turns = [_turn(domain, example) for example in examples]
    fingerprint = _fingerprint(domain, turns)
    path = cache_dir() / "programs" / f"{domain.name}-{fingerprint[:16]}.npz"
    memory = _read(path, num_turns=len(turns))
    if memory is None:
        memory = _list(domain, turns)
        _write(path, memory)
    return memory


def list_programs(domain: Domain, examples: Sequence[Example]) -> ProgramMemory:
    """The same without the cache."""
    return _list(domain, [_turn(domain, example) for example in examples])


def _turn(domain: Domain, example: Example) -> _Turn:
    start = example.start or State(domain.parse_world(example.world))
    if len(example.utterances) != start.utterance + 1:
        raise ValueError(
            f"example {example.id} must be of one command, not of "
            f"{len(example.utterances) - start.utterance}"
        )
    return _Turn(start, example.target)


def _list(domain: Domain, turns: Sequence[_Turn]) -> ProgramMemory:
    chunks = [turns[i : i + CHUNK] for i in range(0, len(turns), CHUNK)]
    processes = min(os.cpu_count() or 1, len(turns) // WORTH_A_PROCESS)
    # A forked process would have the locks of TensorFlow's threads, but not the threads.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=spawn) if processes > 1 else None
    parts = []
    title = f"listing programs of {domain.name}"
    with pool or nullcontext(), tqdm(total=len(turns), desc=title, unit=" turns", delay=1) as bar:
        names = [domain.name] * len(chunks)
        for part in (pool.map if pool else map)(_list_chunk, names, chunks):
            parts.append(part)
            bar.update(len(part.counts))
    return _joined(parts)


def _list_chunk(domain_name: str, turns: Sequence[_Turn]) -> ProgramMemory:
    domain = get_domain(domain_name)
    rows, commands, counts = [], [], []
    for start, text in turns:
        target = domain.parse_world(text)
        found = programs_between(domain, start, target)
        candidates = commands_between(domain, start.world, target)
        rows += [(*p.tokens, *[NO_TOKEN] * (MAX_TOKENS - len(p.tokens))) for p in found]
        commands += [candidates.index(program.command) for program in found]
        counts.append(len(found))
    return ProgramMemory(
        np.array(rows, np.int8).reshape(-1, MAX_TOKENS),
        np.array(commands, np.int8),
        np.cumsum([0, *counts], dtype=np.int64),
    )


def _joined(parts: Sequence[ProgramMemory]) -> ProgramMemory:
    counts = np.concatenate([part.counts for part in parts])
    return ProgramMemory(
        np.concatenate([part.tokens for part in parts]),
        np.concatenate([part.commands for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def _fingerprint(domain: Domain, turns: Iterable[_Turn]) -> str:
    """Tells apart turns, domains and versions of the language."""
    digest = hashlib.sha256(domain.name.encode())
    for path in sorted(Path(language.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for start, target in turns:
        digest.update(repr((start.world.objects, start.history, target)).encode())
    return digest.hexdigest()


def _read(path: Path, *, num_turns: int) -> ProgramMemory | None:
    """What a file holds; None if there is none, or it is damaged."""
    try:
        with np.load(path) as arrays:
            memory = ProgramMemory(**arrays)
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return memory if len(memory.counts) == num_turns else None


def _write(path: Path, memory: ProgramMemory) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, **memory._asdict())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {path.parent}: {error.strerror}") from error
    write_atomically(path, content.getvalue())
