"""The search: one loop in the graph over scoring, machine and selection rule (Section 3.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

import gin
from lang2program_tf.cores import explored_parts
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples, Machine, Options
from lang2program_tf.machine.features import ABSENT, HISTORY_TOKENS
from lang2program_tf.model.parser_protocol import MemoryProtocol, ParserProtocol
from lang2program_tf.search.batch_part import BatchPart, num_examples, whole_batch
from lang2program_tf.search.beam import Beam, Step, of_this_utterance, record_of
from lang2program_tf.search.non_finite import NOT_FINITE, all_finite
from lang2program_tf.search.records import Records, unravel
from lang2program_tf.search.selection import (
    Candidates,
    Classic,
    Pools,
    Selection,
    of_examples,
    of_iteration,
    with_room,
)
from lang2program_tf.search.tree import SearchTree, side_by_side


@gin.configurable(denylist=["machine", "parser"])
class BeamSearch:
    """Searches complete programs; training and evaluation differ only in its arguments."""

    def __init__(
        self,
        machine: Machine,
        parser: ParserProtocol,
        *,
        beam_size: int = 32,
        selection: Selection | None = None,
        iterations_per_utterance: int = 7,
        limit: str = "batch",
        independent_utterances: bool = False,
        jit_compile: bool = False,
    ) -> None:
        """Binds what does not change between batches.

        Args:
            machine: runs the programs.
            parser: scores the tokens.
            beam_size: B in the paper, how many prefixes live.
            selection: which; classic beam search by default.
            iterations_per_utterance: longest program, in tokens an utterance.
            limit: "batch": all examples get the iterations of the one with most utterances, as in
                the original; "row": each gets those of its own, so that its result does not depend
                on its neighbours.
            independent_utterances: while searching, TOKENS sees only tokens of the present
                utterance.
            jit_compile: whether XLA compiles the loop. It takes some seconds for each number of
                examples and of utterances, and then saves a good part of the time. The graph cannot
                be used where there is no XLA, as in TF Serving.
        """
        if beam_size < 1:
            raise ValueError(f"beam_size={beam_size} must be 1 or more")
        if limit not in ("batch", "row"):
            raise ValueError(f"limit={limit!r} must be 'batch' or 'row'")
        self.machine = machine
        self.parser = parser
        self.beam_size = beam_size
        self.selection = selection or Classic()
        self.iterations_per_utterance = iterations_per_utterance
        self.limit = limit
        self.independent_utterances = independent_utterances
        self.jit_compile = jit_compile
        # Compiled, or called several times, the loop is a function, which is traced once.
        self._function = tf.function(self._loop, jit_compile=jit_compile or None, autograph=False)

    def search(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        *,
        seed: tf.Tensor,
        step: tf.Tensor | int = 0,
        keep_prefixes: bool = False,
        parts: int = 1,
        batch: BatchPart | None = None,
    ) -> SearchTree:
        """Searches B examples.

        Parts of them are searched side by side, each in a loop of its own: so many cores have work,
        and a part whose programs are all complete ends. So put examples with as many utterances
        side by side. What is found does not depend on this: every example gets the random draws
        that it would get in one search of the whole batch.

        Args:
            memory: the parser's, of these examples.
            examples: worlds and numbers of utterances.
            seed: [2] int32, of all random draws of the batch.
            step: training step, for schedules of the selection rule.
            keep_prefixes: whether to keep the prefixes' execution histories, for learning.
            parts: how many parts; there must be at least as many examples.
            batch: the batch, if these examples are only some of it.
        """
        several = parts > 1 or batch is not None
        batch = batch or whole_batch(examples)
        draws = self._draw(batch, seed=seed, step=tf.convert_to_tensor(step, tf.int64))
        sound = all_finite(self.parser)
        in_function = self.jit_compile or (several and not tf.executing_eagerly())
        loop = self._function if in_function else self._loop
        size = num_examples(examples)
        cuts = [size * number // parts for number in range(parts + 1)]
        return side_by_side(
            [
                self._search(
                    memory.of_examples(slice(begin, end)) if parts > 1 else memory,
                    examples.of_examples(slice(begin, end)) if parts > 1 else examples,
                    of_examples(draws, batch.places(begin, end)),
                    loop=loop,
                    most_new=batch.most_new,
                    sound=sound,
                    keep_prefixes=keep_prefixes,
                )
                for begin, end in zip(cuts, cuts[1:])
            ]
        )

    def explore(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        *,
        seed: tf.Tensor,
        step: tf.Tensor,
        part: BatchPart | None = None,
    ) -> SearchTree:
        """Searches B examples to learn from them; B must be known.

        A whole batch is searched in a part for each core. What is part of one already is not split
        further, so that not even the last bits depend on how many cores there are.
        """
        size = examples.num_utterances.shape[0]
        return self.search(
            memory,
            examples,
            seed=seed,
            step=step,
            keep_prefixes=True,
            parts=explored_parts(size) if part is None else 1,
            batch=part,
        )

    def _draw(self, batch: BatchPart, *, seed: tf.Tensor, step: tf.Tensor) -> Any:
        """The random numbers for all examples of a batch, see `Selection.draw`."""
        pools = Pools(
            iterations=self.iterations_per_utterance * batch.most_new,
            examples=batch.size,
            prefixes=self.beam_size,
            tokens=len(self.machine.rules.domain.tokens),
        )
        return self.selection.draw(pools, self.beam_size, seed=seed, step=step)

    def _search(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        draws: Any,
        *,
        loop: Callable[..., Any],
        most_new: int | tf.Tensor,
        sound: tf.Tensor,
        keep_prefixes: bool,
    ) -> SearchTree:
        """Searches B examples with their draws [T, B, ...].

        Args:
            memory: the parser's.
            examples: B examples.
            draws: [T, B, ...] random numbers.
            loop: `_loop`, or the function that it is.
            most_new: as in `BatchPart`.
            sound: bool scalar, whether all weights are finite.
            keep_prefixes: see `search`.
        """
        iterations = room = self.iterations_per_utterance * most_new
        if self.jit_compile or keep_prefixes:
            longest = examples.history.shape[1] or tf.shape(examples.history)[1]
            room = self.iterations_per_utterance * longest
        if self.jit_compile:
            # What is compiled depends on shapes: they are the same for nearly all batches.
            memory = memory.with_room()
            draws = with_room(draws, room)
        done, finite, records = loop(
            memory, examples, draws, iterations, room, keep_prefixes=keep_prefixes
        )
        if isinstance(room, int):  # which the records have forgotten
            records = [tf.ensure_shape(part, [room, *part.shape[1:]]) for part in records]
        with tf.control_dependencies([tf.debugging.Assert(finite & sound, [NOT_FINITE])]):
            done = tf.identity(done)
        kept = Records(self.machine, self.beam_size, keep_prefixes=keep_prefixes)
        return kept.tree(records, done, examples.target)

    def _loop(
        self,
        memory: MemoryProtocol,
        examples: Examples,
        draws: Any,
        iterations: tf.Tensor,
        room: int | tf.Tensor,
        *,
        keep_prefixes: bool,
    ) -> tuple[tf.Tensor, tf.Tensor, list[tf.Tensor]]:
        """The iterations that were done, whether all scores were finite, and stacked records.

        Args:
            memory: the parser's.
            examples: B examples.
            draws: [room, B, ...] random numbers.
            iterations: int32 scalar, how many there may be.
            room: int or int32 scalar, how many records to make room for.
            keep_prefixes: see `search`.
        """
        limits = self.iterations_per_utterance * examples.num_new  # [B]
        records = Records(self.machine, self.beam_size, keep_prefixes=keep_prefixes)

        def goes_on(iteration: tf.Tensor, beam: Beam, finite: tf.Tensor, *_: object) -> tf.Tensor:
            return (iteration < iterations) & finite & tf.reduce_any(beam.score > NEVER)

        def advance(
            iteration: tf.Tensor,
            beam: Beam,
            _: tf.Tensor,
            carried: Any,
            arrays: list[tf.TensorArray],
        ) -> tuple[tf.Tensor, Beam, tf.Tensor, Any, list[tf.TensorArray]]:
            log_probs = self.log_probs(memory, beam, carried)
            finite = tf.math.is_finite(tf.reduce_sum(log_probs))
            drawn = of_iteration(draws, iteration)
            taken = self.take(beam, log_probs, drawn, examples.num_utterances)
            arrays = records.write(arrays, iteration, record_of(beam, taken))
            following = taken.following
            if self.limit == "row":
                lives = (iteration + 1 < limits)[:, tf.newaxis]
                following = following._replace(score=tf.where(lives, following.score, NEVER))
            carried = self.note(memory, carried, taken)
            return iteration + 1, following, finite, carried, arrays

        start = (
            tf.constant(0),
            self.first_beam(examples),
            tf.constant(True),
            self.parser.begin(memory, self.beam_size),
            records.start(room, examples.world.shape[0]),
        )
        done, _, finite, _, arrays = tf.while_loop(goes_on, advance, start)
        return done, finite, [array.stack() for array in arrays]

    def first_beam(self, examples: Examples) -> Beam:
        """The empty prefix of every example, at the first place or at all of them."""
        batch = tf.shape(examples.world)[0]
        size = self.beam_size
        roots = tf.fill([size], True) if self.selection.roots else tf.equal(tf.range(size), 0)
        return Beam(
            state=self.machine.initial_state(examples, num_prefixes=size),
            recent=tf.fill([batch, size, HISTORY_TOKENS], ABSENT),
            score=tf.repeat(tf.where(roots, 0.0, NEVER)[tf.newaxis], batch, axis=0),
        )

    def log_probs(self, memory: MemoryProtocol, beam: Beam, carried: Any) -> tf.Tensor:
        """[B, K, V] log-probabilities of all tokens after each prefix.

        Args:
            memory: the parser's.
            beam: the prefixes.
            carried: what the parser carries for them.
        """
        recent = (
            of_this_utterance(self.machine, beam.recent)
            if self.independent_utterances
            else beam.recent
        )
        return self.parser.log_probs(memory, carried, recent=recent, utterance=beam.state.utterance)

    def note(self, memory: MemoryProtocol, carried: Any, taken: Step) -> Any:
        """What the parser carries after a step."""
        return self.parser.note(
            memory, carried, seen=taken.seen, parent=taken.parent, source=taken.source
        )

    def take(
        self,
        beam: Beam,
        log_probs: tf.Tensor,
        draws: Any,
        num_utterances: tf.Tensor,
    ) -> Step:
        """One iteration but for the parser's part.

        Args:
            beam: the live prefixes.
            log_probs: [B, K, V] float32, of all tokens.
            draws: the random numbers of the selection rule.
            num_utterances: [B] int32.
        """
        options = self.machine.options(beam.state, num_utterances[:, tf.newaxis])
        candidates = self.candidates(beam, options, log_probs)
        choice = self.selection.choose(candidates, draws, beam_size=self.beam_size)
        parent, token = unravel(self.machine, choice.index)
        after = self.machine.follow(beam.state, options, parent, token)
        recent = tf.gather(beam.recent, parent, batch_dims=1)[..., 1:]
        return Step(
            following=Beam(
                state=after.state,
                recent=tf.concat([recent, token[..., tf.newaxis]], axis=-1),
                score=choice.score,
            ),
            index=choice.index,
            complete=tf.where(choice.taken, candidates.terminal, NEVER),
            commands=options.commands,
            parent=parent,
            source=after.source,
            seen=self.parser.look(after),
        )

    def candidates(self, beam: Beam, options: Options, log_probs: tf.Tensor) -> Candidates:
        """All continuations of the beam with their scores."""
        scores = beam.score[..., tf.newaxis] + log_probs  # [B, K, V]
        ended = tf.gather(scores, self.machine.action_tokens, axis=-1)
        return Candidates(
            scores=tf.minimum(scores, options.limits),
            log_probs=log_probs,
            terminal=tf.minimum(ended, options.end_limits),
            action_tokens=tf.constant(self.machine.action_tokens),
        )
