from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from lang2program_tf.corpus.batches import Batch, BatchMaker, EncodedStarts, training_batches
from lang2program_tf.corpus.embedded.load import load_embedded
from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.corpus.words import load_word_vectors
from lang2program_tf.language import get_domain
from lang2program_tf.word_ids import PADDING, UNKNOWN


def encode_rows(worlds) -> np.ndarray:
    """[N, 5] shapes from 1; 0 where the row has ended."""
    rows = np.zeros([len(worlds), 5], np.int32)
    for row, world in zip(rows, worlds):
        row[: len(world.shapes)] = [int(shape) + 1 for shape in world.shapes]
    return rows


def encode_starts(states, max_utterances) -> EncodedStarts:
    """Commands as their names' lengths, so that they can be told apart."""
    history = np.zeros([len(states), max_utterances, 3], np.int32)
    for row, state in zip(history, states):
        row[: state.utterance, 0] = [len(command.action) for command in state.history]
    return EncodedStarts(
        worlds=encode_rows([state.world for state in states]),
        next_identities=np.arange(len(states), dtype=np.int32),
        history=history,
        num_commands=np.array([state.utterance for state in states], np.int32),
    )


def make(examples, **changes) -> BatchMaker:
    arguments = {
        "domain": get_domain("tangrams"),
        "vectors": load_word_vectors(),
        "tokenizer": WhiteSpace(),
        "encode_worlds": encode_rows,
        "encode_starts": encode_starts,
        "max_utterances": 3,
    }
    return BatchMaker(examples, **{**arguments, **changes})


def example(*utterances: str) -> Example:
    return Example("a", world="1:2 2:0", utterances=utterances, target="1:0", line=0)


def test_words_are_padded_behind_utterances_and_examples():
    vectors = load_word_vectors()
    batch = make([example("remove it"), example("swap them", "xyzzy")])([0, 1])
    remove, it, swap, them = (vectors.lookup(word) for word in ("remove", "it", "swap", "them"))
    pad = PADDING
    assert batch.words.numpy().tolist() == [
        [[remove, it, pad, pad, pad], [pad] * 5, [pad] * 5],
        [[swap, them, pad, pad, pad], [UNKNOWN, pad, pad, pad, pad], [pad] * 5],
    ]
    assert batch.num_utterances.numpy().tolist() == [1, 2]


def test_worlds_go_through_the_given_encoder():
    batch = make([example("remove it")])([0])
    assert batch.worlds.numpy().tolist() == [[3, 1, 0, 0, 0]]
    assert batch.targets.numpy().tolist() == [[1, 0, 0, 0, 0]]


def test_a_batch_knows_its_examples():
    maker = make([example("a"), example("b"), example("c")])
    assert maker([2, 0]).indices.numpy().tolist() == [2, 0]


@pytest.mark.parametrize(("words", "width"), [(1, 5), (5, 5), (6, 10), (11, 15), (40, 15)])
def test_the_width_is_the_next_multiple_of_five_within_the_word_limit(words, width):
    short, long = example("it"), example(" ".join(["it"] * words))
    assert make([short, long])([0, 1]).words.shape == (2, 3, width)


def test_the_width_of_the_limit_need_not_be_a_multiple_of_five():
    world = "1:_ 2:_ 3:_ 4:_ 5:_ 6:_ 7:_"
    long = Example("a", world, utterances=("it " * 30,), target=world, line=0)

    def no_worlds(worlds):
        return np.zeros([len(worlds), 7], np.int32)

    def no_starts(states, max_utterances):
        return EncodedStarts(
            worlds=no_worlds(states),
            next_identities=np.zeros([len(states)], np.int32),
            history=np.zeros([len(states), max_utterances, 3], np.int32),
            num_commands=np.zeros([len(states)], np.int32),
        )

    alchemy = get_domain("alchemy")
    maker = make([long], domain=alchemy, encode_worlds=no_worlds, encode_starts=no_starts)
    assert maker([0]).words.shape[-1] == 18


def test_other_examples_do_not_widen_a_batch():
    maker = make([example("it"), example(" ".join(["it"] * 14))])
    assert maker([0]).words.shape[-1] == 5


def test_an_example_with_too_many_utterances_is_named():
    with pytest.raises(ValueError, match="max_utterances must be at least 2, got 1"):
        make([example("a", "b")], max_utterances=1)


def test_no_examples_are_an_error():
    with pytest.raises(ValueError, match="examples must not be empty"):
        make([])


@pytest.fixture(scope="module")
def maker() -> BatchMaker:
    examples = load_embedded("tangrams", split="train", train_lines=2)
    return make(examples[:10], max_utterances=2)


def numbers(maker, steps, **arguments) -> list[list[int]]:
    """The numbers of the examples of the first `steps` batches."""
    batches = training_batches(maker, **{"batch_size": 4, "seed": 0, **arguments}).take(steps)
    return [batch.indices.numpy().tolist() for batch in batches]


def test_every_epoch_has_every_example_once(maker):
    stream = list(itertools.chain.from_iterable(numbers(maker, 12, batch_size=5)))
    for epoch in range(6):
        assert sorted(stream[10 * epoch : 10 * epoch + 10]) == list(range(10))


def test_batches_that_begin_in_one_epoch_and_end_in_the_next_lose_nothing(maker):
    stream = itertools.chain.from_iterable(numbers(maker, 15, batch_size=4))
    assert Counter(stream) == {number: 6 for number in range(10)}


def test_in_a_batch_those_with_most_utterances_come_first(maker):
    for batch in training_batches(maker, batch_size=8, seed=0).take(5):
        counts = batch.num_utterances.numpy().tolist()
        assert counts == sorted(counts, reverse=True) and set(counts) == {1, 2}


def test_every_epoch_is_shuffled_anew(maker):
    epochs = numbers(maker, 5, batch_size=10)
    assert len({tuple(epoch) for epoch in epochs}) == 5


def test_a_batch_may_be_larger_than_an_epoch(maker):
    assert set(Counter(numbers(maker, 3, batch_size=20)[2]).values()) == {2}


def test_a_resumed_run_continues_exactly(maker):
    assert numbers(maker, 8, start_step=17) == numbers(maker, 25)[17:]


def test_another_seed_is_another_order(maker):
    assert numbers(maker, 1, batch_size=10) != numbers(maker, 1, batch_size=10, seed=1)


def test_a_bad_batch_size_is_named(maker):
    with pytest.raises(ValueError, match="batch_size must be"):
        training_batches(maker, batch_size=0, seed=0)


def test_the_data_set_holds_batches_of_the_maker(maker):
    for batch in training_batches(maker, batch_size=8, seed=1).take(10):
        assert isinstance(batch, Batch)
        for field, expected in zip(batch, maker(batch.indices)):
            np.testing.assert_array_equal(field, expected)


def test_no_python_runs_in_the_pipeline(maker):
    """A py_function would hold the interpreter's lock, and could not be saved."""
    batches = training_batches(maker, batch_size=8, seed=1)
    functions = [f.function.graph for f in batches._functions()]
    inner = batches._input_dataset
    while True:
        functions += [f.function.graph for f in inner._functions()]
        if not hasattr(inner, "_input_dataset"):
            break
        inner = inner._input_dataset
    types = {operation.type for graph in functions for operation in graph.get_operations()}
    assert types
    assert not {name for name in types if "PyFunc" in name}


def test_only_the_width_of_a_batch_varies(maker):
    batches = training_batches(maker, batch_size=8, seed=1)
    assert batches.element_spec.words.shape.as_list() == [8, 2, None]


def test_equal_sentences_of_a_batch_have_equal_numbers():
    maker = make([example("remove it", "swap"), example("other"), example("swap", "remove it")])
    first, other, swapped = maker([0, 1, 2]).sentences.numpy().tolist()
    assert first[:2] == swapped[:2][::-1]
    assert len({*first, *other, *swapped}) == 4
    assert (first[2], other[1:], swapped[2]) == (0, [0, 0], 0)


@pytest.fixture(scope="module")
def turns() -> BatchMaker:
    examples = load_embedded("tangrams", split="train", form="turns", train_lines=7)
    return make(examples, max_utterances=5)


def test_a_batch_of_thirty_turns_has_six_whole_dialogues(turns):
    dialogues = []
    for batch in training_batches(turns, batch_size=30, seed=0).take(7):
        rows = batch.indices.numpy().reshape(6, 5)
        np.testing.assert_array_equal(rows - rows[:, :1], np.tile(np.arange(5), (6, 1)))
        assert not np.any(rows[:, 0] % 5)
        dialogues += (rows[:, 0] // 5).tolist()
    for epoch in range(6):
        assert sorted(dialogues[7 * epoch : 7 * epoch + 7]) == list(range(7))
    assert len({tuple(dialogues[7 * epoch : 7 * epoch + 7]) for epoch in range(6)}) == 6


def test_every_sentence_of_a_batch_of_dialogues_is_the_last_one_of_some_turn(turns):
    for batch in training_batches(turns, batch_size=10, seed=0).take(3):
        sentences, counts = batch.sentences.numpy(), batch.num_utterances.numpy()
        lasts = {row[count - 1] for row, count in zip(sentences, counts)}
        assert set(sentences.flatten()) == lasts | {0}


def test_training_on_turns_resumes_exactly(turns):
    assert numbers(turns, 3, start_step=5, batch_size=15) == numbers(turns, 8, batch_size=15)[5:]


def test_a_turn_begins_with_the_commands_that_were_performed(turns):
    batch = turns([3, 0])
    start = turns.examples[3].start
    lengths = [len(command.action) for command in start.history]
    assert batch.num_commands.numpy().tolist() == [3, 0]
    assert batch.history[0, :, 0].numpy().tolist() == [*lengths, 0, 0]
    assert not np.any(batch.history[1])
    assert batch.worlds[0].numpy().tolist() == encode_rows([start.world])[0].tolist()
    np.testing.assert_array_equal(batch.first_worlds[0], batch.worlds[1])


def test_an_example_without_a_start_begins_with_its_first_world():
    batch = make([example("remove it", "swap")])([0])
    assert batch.num_commands.numpy().tolist() == [0]
    assert not np.any(batch.history)
    np.testing.assert_array_equal(batch.first_worlds, batch.worlds)
