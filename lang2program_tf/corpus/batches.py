"""Examples as padded arrays, and the endless, reshuffled, resumable order of training batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.language import Domain, State, World
from lang2program_tf.word_ids import PADDING

# Few widths, so that few different shapes occur.
WIDTH_STEP = 5
_PREFETCH = 4


class Batch(NamedTuple):
    """B examples, arrays or tensors.

    Attributes:
        words: [B, M, W] int32, ids of the words of each utterance; `PADDING` behind an utterance,
            and in utterances that an example does not have. W is a multiple of 5, or the domain's
            limit.
        sentences: [B, M] int32, equal numbers above 0 where utterances are the same; 0 where an
            example has no utterance.
        num_utterances: [B] int32.
        worlds: [B, P] int32, the first world of each example.
        next_identities: [B] int32, the hidden number of the next object to come to that world.
        targets: [B, P] int32, the world after its last utterance.
        indices: [B] int32, the number of each example among all examples.
        history: [B, M, 3] int32, the commands that were performed before the first world.
        num_commands: [B] int32, how many they are: as many of the first utterances are dealt with.
        first_worlds: [B, P] int32, the world in which the dialogue began.
    """

    words: tf.Tensor
    sentences: tf.Tensor
    num_utterances: tf.Tensor
    worlds: tf.Tensor
    next_identities: tf.Tensor
    targets: tf.Tensor
    indices: tf.Tensor
    history: tf.Tensor
    num_commands: tf.Tensor
    first_worlds: tf.Tensor


class EncodedStarts(NamedTuple):
    """The states in which N examples begin; int32 arrays.

    Attributes:
        worlds: [N, P].
        next_identities: [N], the hidden number of the next object to come.
        history: [N, M, 3], the commands performed so far; M is `max_utterances`.
        num_commands: [N], how many they are.
    """

    worlds: NDArray[np.int32]
    next_identities: NDArray[np.int32]
    history: NDArray[np.int32]
    num_commands: NDArray[np.int32]


WorldEncoder = Callable[[Sequence[World]], "NDArray[np.int32]"]
StartEncoder = Callable[[Sequence[State], int], EncodedStarts]


class BatchMaker:
    """Makes batches of any of the given examples, which it encodes once.

    Attributes:
        examples: N examples.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        domain: Domain,
        vectors: WordVectors,
        tokenizer: Tokenizer,
        encode_worlds: WorldEncoder,
        encode_starts: StartEncoder,
        max_utterances: int,
    ) -> None:
        """Encodes the examples.

        Args:
            examples: at least one.
            domain: of the examples; sets the largest number of words of an utterance.
            vectors: the vocabulary.
            tokenizer: makes words of utterances.
            encode_worlds: turns N worlds into an array [N, P].
            encode_starts: turns N states, and the size of axis M, into arrays.
            max_utterances: the size of axis M of all batches.
        """
        if not examples:
            raise ValueError("examples must not be empty")
        longest = max(len(example.utterances) for example in examples)
        if longest > max_utterances:
            raise ValueError(f"max_utterances must be at least {longest}, got {max_utterances}")
        self.examples = tuple(examples)
        numbers = {text: i for i, text in enumerate(_different_sentences(examples), start=1)}
        table = np.full([1 + len(numbers), domain.max_words], PADDING, np.int32)
        for text, number in numbers.items():
            ids = vectors.encode(tokenizer.read(text), max_words=domain.max_words)
            table[number, : len(ids)] = ids
        sentences = np.zeros([len(examples), max_utterances], np.int32)
        for row, example in zip(sentences, examples):
            row[: len(example.utterances)] = [numbers[text] for text in example.utterances]
        words = table[sentences]  # [N, M, W]
        starts = [_start(domain, example) for example in examples]
        encoded = encode_starts(starts, max_utterances)
        first_worlds = [domain.parse_world(e.first_world or e.world) for e in examples]
        self._lengths = tf.constant(np.sum(words != PADDING, axis=2).max(axis=1), tf.int32)
        self._together = _together(examples)
        self._all = Batch(
            words=tf.constant(words),
            sentences=tf.constant(sentences),
            num_utterances=tf.constant([len(e.utterances) for e in examples], tf.int32),
            worlds=tf.constant(encoded.worlds),
            next_identities=tf.constant(encoded.next_identities),
            targets=tf.constant(encode_worlds([domain.parse_world(e.target) for e in examples])),
            indices=tf.range(len(examples)),
            history=tf.constant(encoded.history),
            num_commands=tf.constant(encoded.num_commands),
            first_worlds=tf.constant(encode_worlds(first_worlds)),
        )

    def __len__(self) -> int:
        return len(self.examples)

    def shuffled(self, seed: tf.Tensor) -> tf.Tensor:
        """The numbers [N] of all examples by chance, but turns of one dialogue in their order."""
        order = tf.random.experimental.stateless_shuffle(
            tf.range(self._together.nrows(out_type=tf.int32)), seed=seed
        )
        return tf.gather(self._together, order).values

    def longest_first(self, indices: tf.Tensor) -> tf.Tensor:
        """The numbers [B] of examples, those with most commands to find first."""
        lengths = tf.gather(self._all.num_utterances - self._all.num_commands, indices)
        return tf.gather(indices, tf.argsort(lengths, direction="DESCENDING", stable=True))

    def __call__(self, indices: tf.Tensor) -> Batch:
        """The batch of the examples with these numbers [B]."""
        batch = Batch(*(tf.gather(field, indices) for field in self._all))
        longest = tf.reduce_max(tf.gather(self._lengths, indices))
        limit = self._all.words.shape[-1]
        width = tf.clip_by_value(-(-longest // WIDTH_STEP) * WIDTH_STEP, 1, limit)
        return batch._replace(words=batch.words[:, :, :width])


def _different_sentences(examples: Sequence[Example]) -> dict[str, None]:
    return dict.fromkeys(text for example in examples for text in example.utterances)


def _start(domain: Domain, example: Example) -> State:
    """The state in which programs of an example begin."""
    return example.start or State(domain.parse_world(example.world))


def _together(examples: Sequence[Example]) -> tf.RaggedTensor:
    """Numbers of examples that a shuffle does not part, [groups, (examples)].

    Turns of a dialogue must follow each other; any other example is a group of its own.
    """
    lines = [example.line if example.start else None for example in examples]
    begins = [i for i, line in enumerate(lines) if line is None or i == 0 or line != lines[i - 1]]
    return tf.RaggedTensor.from_row_starts(tf.range(len(examples)), begins)


def training_batches(
    maker: BatchMaker, *, batch_size: int, seed: int, start_step: int = 0
) -> tf.data.Dataset:
    """An endless data set of batches: all examples once an epoch, each time reshuffled.

    Turns of one dialogue stay together, so that a batch of 30 has 6 dialogues of 5 sentences.
    A step's batch depends on the seed and the step alone, so that a resumed run goes on exactly as
    if it had not stopped. A batch may begin in one epoch and end in the next.

    Args:
        maker: makes the batches.
        batch_size: examples a step.
        seed: of the order.
        start_step: the step, from 0, whose batch comes first.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    epoch, done = divmod(start_step * batch_size, len(maker))

    def shuffled(epoch: tf.Tensor) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices(maker.shuffled([seed, epoch]))

    examples = tf.data.Dataset.range(epoch, np.iinfo(np.int64).max).flat_map(shuffled).skip(done)
    batches = examples.batch(batch_size, drop_remainder=True).map(maker.longest_first)
    return batches.map(maker).prefetch(_PREFETCH)
