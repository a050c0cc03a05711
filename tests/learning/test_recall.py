"""Programs from a memory: drawn at first, later the likeliest."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import tensorflow as tf

from lang2program_tf.corpus.programs import list_programs
from lang2program_tf.corpus.turns import with_commands
from lang2program_tf.learning.optimizers import adam
from lang2program_tf.learning.priors import NamingPrior
from lang2program_tf.learning.program_scores import program_log_probs
from lang2program_tf.learning.recall import ProgramRecall
from lang2program_tf.learning.train_step import TrainStep
from lang2program_tf.learning.weights import Meritocratic, Reinforce
from lang2program_tf.search import BeamSearch
from tests.learning.small_steps import Recorder
from tests.learning.small_turns import (
    DOMAIN,
    MACHINE,
    MEMORY,
    RICH,
    TURNS,
    WITHOUT,
    plain_turns,
    programs_in_memory,
    recall,
    turn_tensors,
)
from tests.search.toys import programs_of, tensors_of, toy_parser, words_of

ALL = tf.range(len(TURNS))
INDEX = DOMAIN.token_id(DOMAIN.token("index"))


def recalled(memory: ProgramRecall, seed: int = 0) -> list[list[tuple[int, ...]]]:
    """The programs that a step takes for each turn."""
    tree = memory.explore(turn_tensors(), indices=ALL, seed=tf.constant([seed, 1]))
    found = programs_of(MACHINE, tree)
    assert all(program.rewarded for programs in found for program in programs)
    return [sorted(program.tokens for program in programs) for programs in found]


def by_length(sign: int):
    """Likes long programs, or short ones."""

    def score(numbers: np.ndarray, programs: np.ndarray) -> np.ndarray:
        del numbers
        return sign * np.count_nonzero(programs >= 0, axis=-1).astype(np.float32)

    return score


def all_alike(numbers: np.ndarray, programs: np.ndarray) -> np.ndarray:
    del numbers
    return np.zeros(programs.shape[:2], np.float32)


def test_a_step_draws_different_programs_of_the_right_turns():
    for turn, programs in enumerate(recalled(recall())):
        known = programs_in_memory(turn)
        assert len(set(programs)) == len(programs) == min(3, len(known))
        assert set(programs) <= set(known)
    assert recalled(recall())[WITHOUT] == []


def test_draws_are_by_chance_but_by_seed():
    memory = recall()
    assert recalled(memory, 1) == recalled(memory, 1)
    known = programs_in_memory(RICH)
    assert len(known) == 6
    # One turn, many times in a batch: each time half of its programs.
    rows = tf.fill([100], RICH)
    examples = turn_tensors().of_examples(rows)
    tree = memory.explore(examples, indices=rows, seed=tf.constant([3, 4]))
    draws = Counter(p.tokens for programs in programs_of(MACHINE, tree) for p in programs)
    for program in known:
        assert abs(draws[program] - 50) < 20, program  # four standard deviations
    other = memory.explore(examples, indices=rows, seed=tf.constant([3, 5]))
    assert programs_of(MACHINE, tree) != programs_of(MACHINE, other)


def test_a_prior_is_heeded_when_programs_are_drawn():
    memory = recall(size=4, prior=NamingPrior(index_nats=20.0))
    rest = {program for program in programs_in_memory(RICH) if INDEX not in program}
    assert len(rest) == 4
    assert set(recalled(memory)[RICH]) == rest


def test_a_small_set_is_taken_whole():
    found = recalled(recall(size=100))
    assert found == [sorted(programs_in_memory(turn)) for turn in range(len(TURNS))]


def test_a_cut_keeps_the_likeliest_whatever_the_seed():
    memory = recall(cuts=(5,))
    memory.cut(by_length(-1))
    for turn, programs in enumerate(recalled(memory, 1)):
        lengths = sorted(len(program) for program in programs_in_memory(turn))[:3]
        assert sorted(len(program) for program in programs) == lengths
    assert recalled(memory, 1) == recalled(memory, 2)


def test_the_next_cut_is_from_the_whole_sets():
    memory = recall(cuts=(5, 9))
    memory.cut(by_length(-1))
    short = recalled(memory)
    memory.cut(by_length(1))
    for turn, programs in enumerate(recalled(memory)):
        lengths = sorted(len(program) for program in programs_in_memory(turn))[-3:]
        assert sorted(len(program) for program in programs) == lengths
    assert recalled(memory) != short


def test_the_prior_counts_until_the_first_cut_is_done():
    def likes_index(numbers: np.ndarray, programs: np.ndarray) -> np.ndarray:
        del numbers
        return np.any(programs == INDEX, axis=-1).astype(np.float32)

    memory = recall(size=2, cuts=(1, 2), prior=NamingPrior(index_nats=2.0))
    memory.cut(likes_index)
    assert not any(INDEX in program for program in recalled(memory)[RICH])
    memory.cut(likes_index)
    assert all(INDEX in program for program in recalled(memory)[RICH])


def test_the_command_is_chosen_whose_programs_together_are_likeliest():
    memory = recall(choose_commands=True)
    assert memory.chosen() is None
    swap = 2  # the only turn that two commands fit
    commands = MEMORY.commands[MEMORY.offsets[swap] : MEMORY.offsets[swap + 1]]
    assert set(commands) == {0, 1}

    def likes(wanted: int):
        liked = {
            tuple(row)
            for row in MEMORY.tokens[MEMORY.offsets[swap] :][: len(commands)][commands == wanted]
        }

        def score(numbers: np.ndarray, programs: np.ndarray) -> np.ndarray:
            del numbers
            rows = programs.reshape(-1, programs.shape[-1])
            scores = [0.0 if tuple(row) in liked else -3.0 for row in rows]
            return np.array(scores, np.float32).reshape(programs.shape[:2])

        return score

    for wanted in (0, 1):
        memory.choose(likes(wanted))
        assert memory.chosen() == [0, 0, wanted, 0, 0]


def test_other_commands_so_far_have_other_programs():
    memory = recall(size=100, choose_commands=True)
    turned = with_commands(DOMAIN, TURNS, [0, 0, 1, 0, 0])
    other = with_commands(DOMAIN, TURNS, [0, 0, 0, 0, 0])
    histories = {turn[RICH].start.history[-1] for turn in (turned, other)}
    assert len(histories) == 2  # a swap, with either piece named first
    found = []
    for turns in (turned, other):
        memory.replace_sets(list_programs(DOMAIN, turns))
        kept = memory.explore(
            tensors_of(MACHINE, plain_turns(turns)), indices=ALL, seed=tf.constant([0, 1])
        )
        programs = programs_of(MACHINE, kept)[RICH]
        assert all(program.rewarded for program in programs)
        found.append({program.tokens for program in programs})
    assert len(found[0]) == len(found[1])
    assert found[0] != found[1]  # what was the first argument of the swap is the second


def test_cuts_are_due_one_after_the_other():
    memory = recall(cuts=(2, 4))
    assert [memory.cut_is_due(step) for step in range(4)] == [False, False, True, True]
    memory.cut(all_alike)
    assert [memory.cut_is_due(step) for step in range(2, 6)] == [False, False, True, True]
    memory.cut(all_alike)
    assert not memory.cut_is_due(100)


def test_of_larger_sets_some_are_remembered_by_seed():
    found = [recalled(recall(size=6, capacity=4, seed=seed))[RICH] for seed in (0, 0, 1, 2)]
    assert [len(programs) for programs in found] == [4] * 4
    assert found[0] == found[1]
    assert any(programs != found[0] for programs in found)


def train_step(weights: object, **options: object) -> TrainStep:
    search = BeamSearch(MACHINE, toy_parser("tangrams"))
    return TrainStep(search, weights=weights, recall=recall(size=100), **options)


def learn(step: TrainStep, **options: object):
    return step.run(
        words_of(plain_turns()),
        turn_tensors(),
        **{
            "seed": tf.constant([1, 2]),
            "step": tf.constant(0, tf.int64),
            "indices": ALL,
            **options,
        },
    )


def test_a_step_learns_from_the_recalled_programs_by_their_probabilities():
    step = train_step(Meritocratic(1), optimizer=Recorder())
    metrics = learn(step)
    words, examples = words_of(plain_turns()), turn_tensors()
    most = max(len(programs_in_memory(turn)) for turn in range(len(TURNS)))
    programs = np.full([len(TURNS), most, 7], -1, np.int32)
    for turn in range(len(TURNS)):
        for place, tokens in enumerate(programs_in_memory(turn)):
            programs[turn, place, : len(tokens)] = tokens
    log_probs = program_log_probs(
        step.parser, step.parser.read(words, examples), MACHINE, examples, tf.constant(programs)
    ).numpy()
    there = programs[..., 0] >= 0
    sums = np.where(there, np.exp(log_probs), 0).sum(axis=1)
    assert float(metrics.reward) == pytest.approx(sums.mean(), rel=1e-4)
    assert float(metrics.solved) == pytest.approx(4 / 5)
    shares = np.where(there, np.exp(log_probs), 0) / np.maximum(sums, 1e-30)[:, np.newaxis]
    entropy = -(shares * np.log(np.maximum(shares, 1e-30))).sum(axis=1)
    assert float(metrics.entropy) == pytest.approx(entropy.sum() / 4, rel=1e-3)
    assert float(metrics.gradient_norm) > 0


def test_a_gradient_can_be_clipped():
    whole, clipped = Recorder(), Recorder()
    norm = float(learn(train_step(Meritocratic(0), optimizer=whole)).gradient_norm)
    told = learn(train_step(Meritocratic(0), optimizer=clipped, clip_norm=norm / 4)).gradient_norm
    assert float(told) == pytest.approx(norm, rel=1e-5)  # as it was
    for name, gradient in whole.gradients.items():
        np.testing.assert_allclose(clipped.gradients[name], gradient / 4, atol=1e-5)
    unharmed = Recorder()
    learn(train_step(Meritocratic(0), optimizer=unharmed, clip_norm=2 * norm))
    for name, gradient in whole.gradients.items():
        np.testing.assert_allclose(unharmed.gradients[name], gradient, atol=1e-6)


def test_weights_of_bad_programs_cannot_be_had():
    with pytest.raises(ValueError, match="need programs without reward, which none recalls"):
        train_step(Reinforce(0.1), optimizer=adam())


def test_a_step_must_know_which_turns_it_recalls():
    with pytest.raises(ValueError, match="indices=None"):
        learn(train_step(Meritocratic(0), optimizer=Recorder()), indices=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size=0 must be 1 or more"),
        ({"capacity": 0}, "capacity=0 must be 1 or more"),
        ({"cuts": (5, 3)}, r"cuts=\(5, 3\) must be rising numbers of steps"),
        ({"cuts": (-1,)}, "must be rising"),
        ({"programs": list_programs(DOMAIN, TURNS[WITHOUT:])}, "programs are empty"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        recall(**options)
