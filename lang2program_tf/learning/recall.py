"""Exploration without search: programs are recalled from a memory of all there are.

With the worlds before and after a turn known, all programs of one command that lead from one to the
other can be listed beforehand (`corpus/programs.py`): the paper's "if exploration were exhaustive".
What remains is to tell those that were meant from those that are right by luck. At first a step
takes some by chance. Later, when the parser knows better, each set is cut to the programs that it
likes best, and cut again from the whole set when it knows better still. By then it also knows
better which commands came before, where the worlds leave a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tqdm import tqdm

import gin
from lang2program_tf.corpus.programs import NO_TOKEN, ProgramMemory
from lang2program_tf.language import MAX_TOKENS
from lang2program_tf.learning.priors import NamingPrior
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples, Machine
from lang2program_tf.search import BatchPart, SearchTree
from lang2program_tf.search.replay import replay

_NOT_CHOSEN = -1
_EXAMPLES_AT_ONCE = 60
_FEWEST_PROGRAMS = 8  # numbers of programs are this or twice as many: few shapes occur

# Log-probabilities [n, Z] of programs [n, Z, 7] of the examples with numbers [n].
Scorer = Callable[["NDArray[np.int32]", "NDArray[np.int32]"], "NDArray[np.float32]"]


class _Sets:
    """The programs of N examples, as graphs see them; no part of a checkpoint.

    Attributes:
        programs: [N, capacity, 7] int8 variable, ids of tokens, −1 behind the end.
        log_prior: [N, capacity] float32 variable, −inf where there is no program.
        commands: [N, capacity] int8, which of the commands between its worlds a program performs.
    """

    def __init__(self, programs: NDArray[np.int8], commands: NDArray[np.int8]) -> None:
        self.programs = tf.Variable(programs, trainable=False)
        self.log_prior = tf.Variable(tf.zeros(programs.shape[:2]), trainable=False)
        self.commands = commands


@gin.configurable(denylist=["machine", "programs", "seed"])
class ProgramRecall(tf.Module):
    """Takes the programs of a turn from a memory.

    Attributes:
        kept: [N, size] int32 variable, which of the programs of each example the last cut has kept.
        cuts_done: scalar int32 variable.
        choices: [N] int32 variable, which of the commands that lead from its world to its target
            each example performed, by the last cut, −1 before the first; None if nobody asks.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        programs: ProgramMemory,
        seed: int,
        size: int = 8,
        capacity: int = 64,
        cuts: Sequence[int] = (),
        prior: NamingPrior | None = None,
        choose_commands: bool = False,
    ) -> None:
        """Creates the variables.

        Args:
            machine: runs the programs.
            programs: of all N training examples.
            seed: of what is drawn here once for all.
            size: how many programs of an example a step takes.
            capacity: of larger sets so many are remembered, drawn by chance.
            cuts: after how many steps the sets are cut to the `size` programs that are likeliest
                under the parser's (averaged) weights; before the first cut a step draws them.
            prior: for or against programs, before the first cut and in it.
            choose_commands: whether with every cut the commands so far are chosen anew, among those
                that lead from world to world: the ones that the parser finds likeliest.
        """
        super().__init__(name="recall")
        for name, value in (("size", size), ("capacity", capacity)):
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        if sorted(set(cuts)) != list(cuts) or any(cut < 0 for cut in cuts):
            raise ValueError(f"cuts={cuts} must be rising numbers of steps")
        if len(programs.tokens) == 0:
            raise ValueError("programs are empty: no example has a program of one command")
        self._machine = machine
        self._size = size
        self._cuts = tuple(cuts)
        self._seed = seed
        self._prior = prior or NamingPrior()
        self._sets = _Sets(*_dense(programs, min(capacity, int(programs.counts.max())), seed))
        self._weigh_sets()
        num_examples = len(programs.counts)
        self.kept = tf.Variable(
            tf.zeros([num_examples, size], tf.int32), trainable=False, name="kept"
        )
        self.cuts_done = tf.Variable(0, trainable=False, name="cuts_done")
        self.choices = (
            tf.Variable(tf.fill([num_examples], _NOT_CHOSEN), trainable=False, name="choices")
            if choose_commands
            else None
        )

    def explore(
        self,
        examples: Examples,
        *,
        indices: tf.Tensor,
        seed: tf.Tensor,
        part: BatchPart | None = None,
        jit_compile: bool = False,
    ) -> SearchTree:
        """The tree of the programs of B examples; their log-probabilities are not known: 0.

        Args:
            examples: where they begin.
            indices: [B] int32, their numbers among all examples.
            seed: [2] int32, of what is drawn for the batch.
            part: if these examples are part of a batch.
            jit_compile: as for `replay`.
        """
        log_prior = tf.gather(self._sets.log_prior, indices)  # [B, capacity]
        capacity = self._sets.programs.shape[1]

        def draw() -> tf.Tensor:
            size = tf.shape(indices)[0] if part is None else part.size
            uniform = tf.random.stateless_uniform([size, capacity], seed, minval=1e-9)
            if part is not None:
                uniform = uniform[part.first :: part.stride]
            gumbel = -tf.math.log(-tf.math.log(uniform))
            count = min(self._size, capacity)
            drawn = tf.math.top_k(gumbel + log_prior, k=count).indices
            return tf.pad(drawn, [[0, 0], [0, self._size - count]], constant_values=-1)

        chosen = tf.cond(self.cuts_done > 0, lambda: tf.gather(self.kept, indices), draw)
        programs = tf.gather(
            tf.gather(self._sets.programs, indices), tf.maximum(chosen, 0), batch_dims=1
        )
        there = (chosen >= 0) & (programs[..., 0] != NO_TOKEN)
        programs = tf.where(there[..., tf.newaxis], tf.cast(programs, tf.int32), NO_TOKEN)
        return replay(
            self._machine,
            examples,
            programs,
            tf.where(there, 0.0, NEVER),
            jit_compile=jit_compile,
        )

    def cut_is_due(self, step: int) -> bool:
        """Whether the sets are to be cut before step `step`, from 0."""
        done = int(self.cuts_done)
        return done < len(self._cuts) and step >= self._cuts[done]

    def chosen(self) -> list[int] | None:
        """The choices, one for each example; None if there are none yet."""
        if self.choices is None or _NOT_CHOSEN in self.choices.numpy():
            return None
        choices: list[int] = self.choices.numpy().tolist()
        return choices

    def choose(self, score: Scorer) -> None:
        """Chooses for every example the command whose programs together are likeliest."""
        assert self.choices is not None
        choices = np.zeros(self.choices.shape, np.int32)
        for numbers, scores in self._scored(score, title="choosing the commands so far"):
            commands = self._sets.commands[numbers, : scores.shape[1]]
            most = commands.max(initial=0) + 1
            likelihood = [
                np.logaddexp.reduce(np.where(commands == command, scores, NEVER), axis=1)
                for command in range(most)
            ]
            choices[numbers] = np.argmax(likelihood, axis=0)
        self.choices.assign(choices)

    def replace_sets(self, programs: ProgramMemory) -> None:
        """From now on these are the programs of the N examples."""
        new, commands = _dense(programs, self._sets.programs.shape[1], self._seed)
        self._sets.programs.assign(new)
        self._sets.commands = commands
        self._weigh_sets()

    def cut(self, score: Scorer) -> None:
        """Cuts every set to its likeliest programs."""
        kept = np.full(self.kept.shape, -1, np.int32)
        log_prior = self._sets.log_prior.numpy()
        first = int(self.cuts_done) == 0
        for numbers, scores in self._scored(score, title="cutting the sets of programs"):
            if first:
                scores = scores + log_prior[numbers, : scores.shape[1]]
            best = np.argsort(-scores, axis=1, kind="stable")[:, : self._size]
            found = np.take_along_axis(scores, best, axis=1) > NEVER
            kept[numbers, : best.shape[1]] = np.where(found, best, -1)
        self.kept.assign(kept)
        self.cuts_done.assign_add(1)

    def _scored(
        self, score: Scorer, *, title: str
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.float32]]]:
        """Numbers [n] of examples, and log-probabilities [n, ≤ capacity] of all their programs."""
        all_programs = self._sets.programs.numpy()
        counts = np.count_nonzero(all_programs[..., 0] != NO_TOKEN, axis=1)
        order = np.argsort(counts, kind="stable")
        with tqdm(total=len(order), desc=title, unit=" turns") as bar:
            for start in range(0, len(order), _EXAMPLES_AT_ONCE):
                rows = order[start : start + _EXAMPLES_AT_ONCE].astype(np.int32)
                width = _FEWEST_PROGRAMS
                while width < counts[rows].max():
                    width *= 2
                programs = all_programs[rows, :width]
                scores = score(rows, programs.astype(np.int32))
                yield rows, np.where(programs[..., 0] == NO_TOKEN, NEVER, scores)
                bar.update(len(rows))

    def _weigh_sets(self) -> None:
        there = self._sets.programs[..., 0] != NO_TOKEN
        log_prior = self._prior(self._machine.rules.domain, self._sets.programs.value())
        self._sets.log_prior.assign(tf.where(there, log_prior, NEVER))


def _dense(
    memory: ProgramMemory, capacity: int, seed: int
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Programs [N, capacity, 7] of each example and their commands; of larger sets some by chance.

    Behind the last program of an example both are −1.
    """
    random = np.random.RandomState(seed)
    programs = np.full([len(memory.counts), capacity, MAX_TOKENS], NO_TOKEN, np.int8)
    commands = np.full(programs.shape[:2], NO_TOKEN, np.int8)
    for number, (begin, end) in enumerate(zip(memory.offsets, memory.offsets[1:])):
        rows = np.arange(begin, end)
        if len(rows) > capacity:
            rows = np.sort(random.choice(rows, capacity, replace=False))
        programs[number, : len(rows)] = memory.tokens[rows]
        commands[number, : len(rows)] = memory.commands[rows]
    return programs, commands
