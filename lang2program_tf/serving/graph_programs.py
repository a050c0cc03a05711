"""Programs in the graph: printed in the paper's notation, read back, and run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from lang2program_tf.language import Domain
from lang2program_tf.machine import Examples, Machine, MachineState
from lang2program_tf.machine import state as st
from lang2program_tf.machine.features import ABSENT, HISTORY_TOKENS
from lang2program_tf.search.tree import SearchTree, by_example
from lang2program_tf.serving.graph_text import number_table, single_spaces


class Prefixes(NamedTuple):
    """B beginnings of programs.

    Attributes:
        tokens: [B, T] int32, token ids, −1 behind the end.
        length: [B] int32.
        error: [B] string, why the text is no program, "" if it is one.
    """

    tokens: tf.Tensor
    length: tf.Tensor
    error: tf.Tensor


class TokenTable(tf.Module):
    """The tokens of a domain by their names in the paper."""

    def __init__(self, domain: Domain) -> None:
        super().__init__()
        self._domain = domain.name
        names = [token.name for token in domain.tokens]
        self._names = np.array(["", *names], np.bytes_)
        self._table = number_table(names, missing=ABSENT)

    @property
    def names(self) -> tf.Tensor:
        """[V] string, by id."""
        return tf.constant(self._names[1:])

    def show(self, tokens: tf.Tensor) -> tf.Tensor:
        """[...] the texts of programs [..., T] of token ids, −1 behind the end."""
        names = tf.gather(self._names, tokens + 1)
        return tf.strings.strip(tf.strings.reduce_join(names, axis=-1, separator=" "))

    def parse(self, texts: tf.Tensor, *, max_tokens: int) -> Prefixes:
        """Reads beginnings of programs [B] of at most `max_tokens` tokens."""
        names = tf.strings.split(single_spaces(texts))
        length = tf.cast(names.row_lengths(), tf.int32)
        names = names.to_tensor("", shape=[None, max_tokens])
        tokens = tf.cast(self._table.lookup(names), tf.int32)
        unknown = tf.equal(tokens, ABSENT) & tf.not_equal(names, "")
        first = tf.argmax(unknown, axis=1, output_type=tf.int32)
        error = tf.where(
            tf.reduce_any(unknown, axis=1),
            tf.strings.join(
                ["token ", tf.strings.as_string(first + 1), f" is no token of {self._domain}"]
            ),
            "",
        )
        error = tf.where(length > max_tokens, f"it has more than {max_tokens} tokens", error)
        return Prefixes(tokens, length, error)


class Replay(NamedTuple):
    """B programs that ran as far as they could.

    Attributes:
        state: execution states, leading axes [B, 1].
        recent: [B, 1, 4] int32, their last tokens, −1 for none.
        failed: [B] int32, the place from 1 of the token that could not run or after which the
            program is complete; 0 if all of them ran.
    """

    state: MachineState
    recent: tf.Tensor
    failed: tf.Tensor


def replay(machine: Machine, examples: Examples, prefixes: Prefixes) -> Replay:
    """Runs the beginnings of programs; only those that a search would keep run to their end."""
    start = machine.initial_state(examples, num_prefixes=1)
    steps = tf.reduce_max(prefixes.length)

    def run(
        place: tf.Tensor, state: MachineState, recent: tf.Tensor, failed: tf.Tensor
    ) -> tuple[tf.Tensor, MachineState, tf.Tensor, tf.Tensor]:
        token = tf.gather(prefixes.tokens, [place], axis=1)  # [B, 1]
        wanted = (place < prefixes.length) & tf.equal(failed, 0)
        legal = tf.maximum(token, 0)
        options = machine.options(state, examples.num_utterances[:, tf.newaxis])
        outcome = tf.gather(options.outcomes, legal, batch_dims=2)
        runs = tf.equal(outcome, st.CONTINUES) & tf.equal(token, legal) & wanted[:, tf.newaxis]
        after = machine.follow(state, options, tf.zeros_like(token), legal).state
        state = MachineState(*(_choose(runs, new, old) for new, old in zip(after, state)))
        shifted = tf.concat([recent[..., 1:], token[..., tf.newaxis]], axis=-1)
        failed = tf.where(wanted & ~runs[:, 0], place + 1, failed)
        return place + 1, state, _choose(runs, shifted, recent), failed

    batch = tf.shape(examples.world)[0]
    none = tf.fill([batch, 1, HISTORY_TOKENS], ABSENT)
    _, state, recent, failed = tf.while_loop(
        lambda place, *_: place < steps,
        run,
        (tf.constant(0), start, none, tf.zeros([batch], tf.int32)),
    )
    return Replay(state, recent, failed)


def _choose(condition: tf.Tensor, new: tf.Tensor, old: tf.Tensor) -> tf.Tensor:
    """`new` where the condition [B, 1] holds, for tensors [B, 1, ...]."""
    missing = len(old.shape) - len(condition.shape)
    shape = tf.concat([tf.shape(condition), [1] * missing], axis=0)
    return tf.where(tf.reshape(condition, shape), new, old)


def worlds_on_the_way(
    tree: SearchTree, final: tf.Tensor, num_utterances: tf.Tensor, *, size: int
) -> tf.Tensor:
    """The worlds that the most probable program of each example leads to.

    Args:
        tree: of B examples; one without any complete program gets worlds without meaning.
        final: [B, P] int32, the world after those programs.
        num_utterances: [B] int32, how many utterances the examples have.
        size: U, at least as many as any example has.

    Returns:
        [B, U, P] int32, the world after each utterance; zeros behind the last.
    """
    complete = by_example(tree.complete)  # [B, T * K, C]
    batch, num_actions = tf.shape(complete)[0], complete.shape[-1]
    best = tf.argmax(tf.reshape(complete, [batch, -1]), axis=1, output_type=tf.int32)
    node = best // num_actions
    beam_size = tf.shape(tree.parent)[2]
    depth, place = node // beam_size, node % beam_size

    def write(worlds: tf.Tensor, world: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        """Writes `world` [B, P] as the one after `count` [B] utterances, 0 for nowhere."""
        here = tf.one_hot(count - 1, size, on_value=True, off_value=False)
        return tf.where(here[..., tf.newaxis], world[:, tf.newaxis], worlds)

    def back(
        iteration: tf.Tensor, place: tf.Tensor, worlds: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Writes the world of the prefix that an iteration begins with, and goes to its parent."""
        world, count = (
            tf.gather(part[iteration], place, batch_dims=1) for part in (tree.world, tree.utterance)
        )
        inside = iteration <= depth
        parent = tf.gather(tree.parent[tf.maximum(iteration - 1, 0)], place, batch_dims=1)
        worlds = write(worlds, world, tf.where(inside, count, 0))
        return iteration - 1, tf.where(inside, parent, place), worlds

    nothing = tf.zeros([batch, size, final.shape[-1]], tf.int32)
    start = (tf.shape(tree.parent)[0] - 1, place, write(nothing, final, num_utterances))
    _, _, worlds = tf.while_loop(lambda iteration, *_: iteration >= 0, back, start)
    return worlds
