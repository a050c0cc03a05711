"""Prediction by worlds: a dialogue is parsed sentence by sentence with a small beam of worlds.

Many programs lead to the same world, and it is the world that people mean. So after each sentence
the probabilities of the programs that reach a world are added up, the most probable worlds live on,
and each keeps its most probable program.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import gin
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples, Machine
from lang2program_tf.search.beam_search import BeamSearch
from lang2program_tf.search.programs import best_programs
from lang2program_tf.search.tree import Programs

_NO_TOKEN = -1


class _Worlds(NamedTuple):
    """The V worlds that B dialogues may have come to; the most probable first.

    Attributes:
        world: [B, V, P] int32.
        next_identity: [B, V] int32.
        history: [B, V, M, 3] int32, the commands that have led there.
        log_prob: [B, V] float32, −inf where there is no world.
        tokens: [B, V, T] int32, the program that has led there, −1 behind each of its commands.
        agreeing: [B, V] int32, how many programs for the last sentence lead there.
        path: [B, V, M, P] int32, the world after each sentence that was parsed.
    """

    world: tf.Tensor
    next_identity: tf.Tensor
    history: tf.Tensor
    log_prob: tf.Tensor
    tokens: tf.Tensor
    agreeing: tf.Tensor
    path: tf.Tensor


class Predictions(NamedTuple):
    """The V most probable worlds of each of B examples.

    Attributes:
        programs: for each world its best program; the log-probability is that of the world, and
            `agreeing` says how many programs for the last sentence lead there.
        path: [B, V, M, P] int32, the worlds to which the programs lead, after each sentence.
    """

    programs: Programs
    path: tf.Tensor


@gin.configurable(denylist=["search"])
class WorldSearch:
    """Predicts the worlds to which dialogues lead, and a program for each."""

    def __init__(
        self,
        search: BeamSearch,
        *,
        num_worlds: int = 4,
        num_programs: int = 16,
        least_share: float = 0.001,
        add_up: bool = True,
    ) -> None:
        """Binds what does not change between batches.

        Args:
            search: finds the programs of one sentence.
            num_worlds: how many worlds live on.
            num_programs: how many programs of a sentence count, for each world before it.
            least_share: worlds that are less probable than this share of the best are given up.
            add_up: whether the probabilities of programs that lead to the same world are added up;
                else a world has that of its best program.
        """
        for name, value in (("num_worlds", num_worlds), ("num_programs", num_programs)):
            if value < 1:
                raise ValueError(f"{name}={value} must be 1 or more")
        if not 0 <= least_share < 1:
            raise ValueError(f"least_share={least_share} must be from 0 to below 1")
        self.search = search
        self.num_worlds = num_worlds
        self.num_programs = num_programs
        self.least_share = least_share
        self.add_up = add_up

    @property
    def _machine(self) -> Machine:
        return self.search.machine

    def predict(self, words: tf.Tensor, examples: Examples) -> Predictions:
        """Parses B examples sentence by sentence.

        Those that are beginnings of others, as a dialogue's first sentences are of all of them, are
        read off on the way, and cost nothing.

        Args:
            words: [B, M, W] int32, word ids.
            examples: where the dialogues begin; their targets are only compared with.
        """
        turns = tf.reduce_max(examples.num_new)
        longest = _longest(words, examples)

        def advance(turn: tf.Tensor, now: _Worlds) -> tuple[tf.Tensor, _Worlds]:
            following = self._advance(words, examples, now, turn, longest)
            goes_on = turn < examples.num_new  # [B]

            def pick(after: tf.Tensor, before: tf.Tensor) -> tf.Tensor:
                shape = tf.concat([tf.shape(goes_on), tf.ones_like(tf.shape(after)[1:])], axis=0)
                return tf.where(tf.reshape(goes_on, shape), tf.gather(after, longest), before)

            return turn + 1, tf.nest.map_structure(pick, following, now)

        def any_goes_on(turn: tf.Tensor, now: _Worlds) -> tf.Tensor:
            """Whether there is a sentence left in a dialogue that has not come to nothing."""
            return tf.reduce_any((turn < examples.num_new) & (now.log_prob[:, 0] > NEVER))

        start = (tf.constant(0), self._start(examples, turns))
        _, last = tf.while_loop(any_goes_on, advance, start)
        return self._predictions(examples, last)

    def _predictions(self, examples: Examples, last: _Worlds) -> Predictions:
        """What the dialogues have come to; zeros and no tokens where there is no world."""
        found = last.log_prob > NEVER  # [B, V]
        there = found[..., tf.newaxis]
        world = tf.where(there, last.world, 0)
        target = tf.repeat(examples.target[:, tf.newaxis], self.num_worlds, axis=1)
        tokens, length = _close_up(tf.where(there, last.tokens, _NO_TOKEN))
        place = tf.maximum(examples.num_utterances - 1, 0)[:, tf.newaxis]
        command = tf.gather(last.history, tf.repeat(place, self.num_worlds, axis=1), batch_dims=2)
        programs = Programs(
            tokens=tokens,
            length=length,
            log_prob=last.log_prob,
            rewarded=found & self._machine.same_world(world, target),
            world=world,
            command=tf.where(there, command, 0),
            agreeing=tf.where(found, last.agreeing, 0),
        )
        return Predictions(programs, tf.where(there[..., tf.newaxis], last.path, 0))

    def _start(self, examples: Examples, turns: tf.Tensor) -> _Worlds:
        batch, size = tf.shape(examples.world)[0], self.num_worlds
        first = tf.where(tf.equal(tf.range(size), 0), 0.0, NEVER)
        length = self.search.iterations_per_utterance * turns
        return _Worlds(
            world=tf.repeat(examples.world[:, tf.newaxis], size, axis=1),
            next_identity=tf.repeat(examples.next_identity[:, tf.newaxis], size, axis=1),
            history=tf.repeat(examples.history[:, tf.newaxis], size, axis=1),
            log_prob=tf.repeat(first[tf.newaxis], batch, axis=0),
            tokens=tf.fill([batch, size, length], _NO_TOKEN),
            agreeing=tf.zeros([batch, size], tf.int32),
            path=tf.zeros(
                [batch, size, tf.shape(examples.history)[1], examples.world.shape[1]], tf.int32
            ),
        )

    def _advance(
        self,
        words: tf.Tensor,
        examples: Examples,
        now: _Worlds,
        turn: tf.Tensor,
        longest: tf.Tensor,
    ) -> _Worlds:
        """Parses one more sentence of each dialogue that is no beginning of another."""
        # The best one lives, however improbable it is: rounding may leave nothing of the share.
        live = now.log_prob >= now.log_prob[:, :1] + tf.math.log(self.least_share)
        live &= now.log_prob > NEVER
        searched = tf.equal(longest, tf.range(tf.size(longest))) & (turn < examples.num_new)
        live &= searched[:, tf.newaxis]
        row = tf.where(live)  # [n, 2]
        of_row = tf.cast(row[:, 0], tf.int32)
        num_commands = tf.gather(examples.num_commands, of_row) + turn
        beginning = Examples(
            world=tf.gather_nd(now.world, row),
            next_identity=tf.gather_nd(now.next_identity, row),
            target=tf.gather(examples.target, of_row),
            num_utterances=num_commands + 1,
            history=tf.gather_nd(now.history, row),
            num_commands=num_commands,
            first_world=tf.gather(examples.first_world, of_row),
        )
        said = words[:, : tf.reduce_max(num_commands) + 1]  # what comes later is not read yet
        memory = self.search.parser.read(tf.gather(said, of_row), beginning)
        tree = self.search.search(memory, beginning, seed=tf.zeros([2], tf.int32))
        found = best_programs(self._machine, tree, self.num_programs)
        return self._choose(now, row, beginning, found, turn)

    def _choose(
        self, now: _Worlds, row: tf.Tensor, beginning: Examples, found: Programs, turn: tf.Tensor
    ) -> _Worlds:
        """The worlds after a sentence.

        Args:
            now: the worlds before it.
            row: [n, 2] int64, those of them that were searched.
            beginning: what was searched.
            found: n * Z programs.
            turn: scalar int32, which of the new sentences it is.
        """
        batch, size = tf.shape(now.log_prob)[0], self.num_worlds
        count = tf.shape(found.log_prob)[1]
        total = tf.gather_nd(now.log_prob, row)[:, tf.newaxis] + found.log_prob  # [n, Z]
        # Where nothing was searched, nothing is found.
        everywhere = tf.tensor_scatter_nd_update(tf.fill([batch, size, count], NEVER), row, total)
        number = tf.tensor_scatter_nd_update(
            tf.zeros([batch, size, count], tf.int32),
            row,
            tf.reshape(tf.range(tf.size(total)), tf.shape(total)),
        )
        best = tf.math.top_k(tf.reshape(everywhere, [batch, size * count]), k=size * count)
        number = tf.gather(tf.reshape(number, [batch, -1]), best.indices, batch_dims=1)
        seen = tf.gather(self._machine.rules.visible(_flat(found.world)), number)  # [B, V * Z, P]
        there = best.values > NEVER
        same = tf.reduce_all(tf.equal(seen[:, :, tf.newaxis], seen[:, tf.newaxis]), axis=-1)
        same &= there[:, :, tf.newaxis] & there[:, tf.newaxis]
        is_first = (
            tf.equal(tf.argmax(same, axis=-1, output_type=tf.int32), tf.range(size * count)) & there
        )
        log_prob = best.values
        if self.add_up:
            log_prob = tf.reduce_logsumexp(
                tf.where(same, best.values[:, tf.newaxis], tf.float32.min), axis=-1
            )
        chosen = tf.math.top_k(tf.where(is_first, log_prob, NEVER), k=size)
        agreeing = tf.math.count_nonzero(same, axis=-1, dtype=tf.int32)
        number = tf.gather(number, chosen.indices, batch_dims=1)  # [B, V]
        source = number // count  # which of the n searched worlds it comes from
        command = tf.gather(_flat(found.command), number)
        world = tf.gather(_flat(found.world), number)
        place = tf.gather(beginning.num_commands, source)
        return _Worlds(
            world=world,
            next_identity=tf.gather(beginning.next_identity, source)
            + self._machine.rules.newcomers(command[..., 0]),
            history=_written(tf.gather(beginning.history, source), command, place),
            log_prob=chosen.values,
            tokens=self._with_tokens(
                tf.gather(tf.gather_nd(now.tokens, row), source),
                tf.gather(_flat(found.tokens), number),
                turn,
            ),
            agreeing=tf.gather(agreeing, chosen.indices, batch_dims=1),
            path=_written(tf.gather(tf.gather_nd(now.path, row), source), world, place),
        )

    def _with_tokens(self, tokens: tf.Tensor, new: tf.Tensor, turn: tf.Tensor) -> tf.Tensor:
        """Programs [B, V, T] with the tokens [B, V, ≤ 7] of the command of a turn."""
        before = self.search.iterations_per_utterance * turn
        behind = tf.shape(tokens)[2] - before - tf.shape(new)[2]
        paddings = [[0, 0], [0, 0], [before, behind]]
        return tf.maximum(tokens, tf.pad(new, paddings, constant_values=_NO_TOKEN))


def _longest(words: tf.Tensor, examples: Examples) -> tf.Tensor:
    """[B] int32, for each example the longest that it is a beginning of; often that is itself."""

    def same(parts: tf.Tensor) -> tf.Tensor:
        """[B, B], where all numbers [B, ...] of two examples agree."""
        flat = tf.reshape(parts, [tf.shape(parts)[0], -1])
        return tf.reduce_all(tf.equal(flat[:, tf.newaxis], flat), axis=-1)

    shape = tf.shape(words)
    said = tf.range(shape[1]) < examples.num_utterances[:, tf.newaxis]  # [B, M]
    different = tf.raw_ops.UniqueV2(x=tf.reshape(words, [-1, shape[2]]), axis=[0])
    sentence = tf.reshape(different.idx, shape[:2])
    agree = tf.equal(sentence[:, tf.newaxis], sentence) | ~said[:, tf.newaxis]  # [B, B, M]
    begins = tf.reduce_all(agree, axis=-1)
    for part in (
        examples.first_world,
        examples.world,
        examples.next_identity,
        examples.history,
        examples.num_commands,
    ):
        begins &= same(part)
    length = tf.where(begins, examples.num_utterances, 0)
    return tf.argmax(length, axis=1, output_type=tf.int32)  # of equal ones the first


def _flat(parts: tf.Tensor) -> tf.Tensor:
    """[n, Z, ...] as [n * Z, ...]."""
    return tf.reshape(parts, tf.concat([[-1], tf.shape(parts)[2:]], axis=0))


def _written(entries: tf.Tensor, new: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    """Entries [B, V, M, n] with new ones [B, V, n] at places [B, V], which hold zeros so far."""
    here = tf.one_hot(place, tf.shape(entries)[2], dtype=tf.int32)  # [B, V, M]
    return entries + here[..., tf.newaxis] * new[:, :, tf.newaxis]


def _close_up(tokens: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Programs [B, V, T] with −1 only behind the end, and their lengths [B, V]."""
    there = tokens >= 0
    order = tf.argsort(tf.cast(~there, tf.int32), axis=-1, stable=True)
    return (
        tf.gather(tokens, order, batch_dims=2),
        tf.math.count_nonzero(there, axis=-1, dtype=tf.int32),
    )
