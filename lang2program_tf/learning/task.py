"""What is learned: a domain, a corpus and the words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gin
from lang2program_tf.corpus.batches import BatchMaker, EncodedStarts
from lang2program_tf.corpus.corpora import WHAT_THERE_IS, is_corpus, load_corpus
from lang2program_tf.corpus.scone import Example
from lang2program_tf.corpus.seen_words import FILE as SEEN_WORDS
from lang2program_tf.corpus.seen_words import read_seen_words, seen_words_text
from lang2program_tf.corpus.tokenizers import KnownForms, Tokenizer, WhiteSpace, count_seen
from lang2program_tf.corpus.words import WordVectors, load_word_vectors
from lang2program_tf.files import write_atomically
from lang2program_tf.language import DOMAINS, State, get_domain
from lang2program_tf.machine import get_machine
from lang2program_tf.machine.encode import encode_states

TOKENIZERS = ("white_space", "known_forms")


@gin.configurable(denylist=["folder"])
class Task:
    """Examples, words and machine of one domain.

    Attributes:
        domain: the domain.
        corpus: `scone`, the real data from the data folder, `embedded`, which needs none, or a
            folder with files of one's own.
        machine: the domain's tensor machine.
        words: the word vectors.
        tokenizer: makes words of utterances.
    """

    def __init__(
        self,
        domain: str = gin.REQUIRED,
        *,
        corpus: str = "scone",
        form: str = "orig",
        holdout: float = 0.0,
        tokenizer: str = "white_space",
        train_words_seen: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """Loads the words.

        Args:
            domain: the name of a domain.
            corpus: `scone`, `embedded` or a folder with files such as `scene-train.tsv`.
            form: of training examples, `orig` (the released code), `substrings` (the paper) or
                `turns` (every sentence in its context).
            holdout: the share of the training dialogues that are the split `holdout`, to choose
                between parsers without dev; not for the form `orig`.
            tokenizer: `white_space` as in the original, or `known_forms` for words as people type
                them (see `corpus/tokenizers.py`).
            train_words_seen: words that were seen so often in training get a trained vector
                beside their fixed one; None: no word does. It needs `known_forms`.
            folder: of the run, which may hold its own words and those seen in training.
        """
        if not is_corpus(corpus):
            raise ValueError(f"corpus={corpus!r} must be {WHAT_THERE_IS}")
        if domain not in DOMAINS:
            raise ValueError(f"domain={domain!r} must be one of {', '.join(DOMAINS)}")
        if tokenizer not in TOKENIZERS:
            raise ValueError(f"tokenizer={tokenizer!r} must be one of {', '.join(TOKENIZERS)}")
        self.domain = get_domain(domain)
        self.corpus = corpus
        self.form = form
        self.holdout = holdout
        self._train_words_seen = train_words_seen
        self.machine = get_machine(domain)
        self.words: WordVectors = load_word_vectors(folder=folder)
        self._examples: dict[str, tuple[Example, ...]] = {}
        self.tokenizer: Tokenizer = (
            KnownForms(self.words.vocabulary, seen=self._seen_words(folder))
            if tokenizer == "known_forms"
            else WhiteSpace()
        )

    @property
    def trained_words(self) -> tuple[int, ...]:
        """The ids of the words whose vectors are trained."""
        if self._train_words_seen is None:
            return ()
        if not isinstance(self.tokenizer, KnownForms):
            raise ValueError(
                f"train_words_seen={self._train_words_seen} needs tokenizer='known_forms'"
            )
        return tuple(
            self.words.lookup(word)
            for word, count in self.tokenizer.seen.items()
            if count >= self._train_words_seen
        )

    def examples(self, split: str) -> tuple[Example, ...]:
        """The examples of `train`, `holdout`, `dev` or `test`, loaded when first asked for."""
        if split not in self._examples:
            self._examples[split] = load_corpus(
                self.corpus,
                self.domain.name,
                split=split,
                form=self.form,
                holdout=self.holdout,
            )
        return self._examples[split]

    def batch_maker(self, examples: tuple[Example, ...]) -> BatchMaker:
        """Makes batches of these examples."""

        def encode_starts(states: Sequence[State], max_utterances: int) -> EncodedStarts:
            encoded = encode_states(self.machine.rules, states, max_utterances=max_utterances)
            return EncodedStarts(
                worlds=encoded.world,
                next_identities=encoded.next_identity,
                history=encoded.history,
                num_commands=encoded.utterance,
            )

        return BatchMaker(
            examples,
            domain=self.domain,
            vectors=self.words,
            tokenizer=self.tokenizer,
            encode_worlds=self.machine.rules.encode_worlds,
            encode_starts=encode_starts,
            max_utterances=max(len(example.utterances) for example in examples),
        )

    def write_seen_words(self, folder: Path) -> None:
        """Keeps in the folder of a run which words it saw in training, if its words need that."""
        if isinstance(self.tokenizer, KnownForms):
            write_atomically(folder / SEEN_WORDS, seen_words_text(self.tokenizer.seen))

    def _seen_words(self, folder: Path | None) -> dict[str, int]:
        """Those that the run has kept, which it finds on machines without its training data."""
        path = (folder or Path()) / SEEN_WORDS
        if folder and path.exists():
            return read_seen_words(path, remedy="delete it to have them counted anew")
        train = self.examples("train")
        utterances = (text for example in train for text in example.utterances)
        return count_seen(utterances, self.words.vocabulary)
