"""Predictions of a parser, wherever it comes from: a run folder or an export."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Protocol

from lang2program_tf.corpus.corpora import load_corpus
from lang2program_tf.corpus.scone import Example, prefixes, read_lines
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain, get_domain
from lang2program_tf.learning.evaluation import Evaluator, Prediction
from lang2program_tf.learning.experiment import open_together
from lang2program_tf.log_probs import NEVER
from lang2program_tf.serving import Client, ParseAnswer, ParseRequest
from lang2program_tf.serving.model import LocalTransport, Model


class Predictor(Protocol):
    """A parser that predicts examples.

    Attributes:
        domain: of the parser.
        corpus: that it was trained on.
        vocabulary: the words that it knows.
        tokenizer: makes words of utterances.
        holdout: the share of the training dialogues that it was not trained on.
        by_worlds: whether a prediction's probability is that of its world, not of its program.
    """

    domain: Domain
    corpus: str
    vocabulary: Set[str]
    tokenizer: Tokenizer
    holdout: float
    by_worlds: bool

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in any order."""


class RunPredictor:
    """The best checkpoint of a run folder, or those of several as one parser."""

    def __init__(
        self,
        *root_dirs: str | Path,
        batch_size: int,
        gin_files: Sequence[str] = (),
        gin_params: Sequence[str] = (),
    ) -> None:
        """Opens the runs.

        Args:
            *root_dirs: one or more folders.
            batch_size: examples at a time.
            gin_files: their settings go before those of the runs.
            gin_params: these go before all others.
        """
        self._learner = open_together(root_dirs, gin_files=gin_files, gin_params=gin_params)
        self._batch_size = batch_size
        self.domain = self._learner.task.domain
        self.corpus = self._learner.task.corpus
        self.vocabulary: Set[str] = self._learner.task.words.vocabulary
        self.tokenizer = self._learner.task.tokenizer
        self.holdout = self._learner.task.holdout
        self.by_worlds = self._learner.worlds is not None

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in the order of their numbers of utterances."""
        evaluator = Evaluator(self._learner, examples, batch_size=self._batch_size)
        with self._learner.evaluation_weights():
            yield from evaluator.predictions()


class ExportPredictor:
    """An exported parser; it gives its best programs only, so rewards are summed over these.

    Attributes:
        metadata: what the export is.
    """

    def __init__(self, path: str | Path, *, batch_size: int) -> None:
        model = Model(path)
        self._client = Client(LocalTransport(model), batch_size=batch_size)
        self._batch_size = batch_size
        self.metadata = self._client.metadata()
        self.domain = get_domain(self.metadata.domain)
        config = self.metadata.config
        trained_on = re.search(r"^Task\.corpus = '([^']+)'", config, re.MULTILINE)
        self.corpus = trained_on[1] if trained_on else "scone"
        held_out = re.search(r"^Task\.holdout = ([\d.e-]+)$", config, re.MULTILINE)
        self.holdout = float(held_out[1]) if held_out else 0.0
        self.by_worlds = bool(self.metadata.settings.get("by_worlds", False))
        self.vocabulary: Set[str] = model.vocabulary()
        self.tokenizer = model.tokenizer()

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in their order."""
        for start in range(0, len(examples), self._batch_size):
            batch = examples[start : start + self._batch_size]
            requests = [ParseRequest(example.world, example.utterances) for example in batch]
            for example, answer in zip(batch, self._client.parse_many(requests)):
                yield self._prediction(example, answer)

    def _prediction(self, example: Example, answer: ParseAnswer) -> Prediction:
        target = self.domain.parse_world(example.target)
        rewarded = [
            alternative
            for alternative in answer.alternatives
            if self.domain.parse_world(alternative.world) == target
        ]
        best = answer.best
        return Prediction(
            example=example,
            program=tuple(best.program.split()) if best else (),
            log_prob=best.log_prob if best else NEVER,
            world=best.world if best else None,
            correct=best in rewarded,
            num_complete=answer.num_found,
            num_rewarded=len(rewarded),
            reward=sum(alternative.probability for alternative in rewarded),
        )


def load(
    predictor: Predictor, *, split: str, corpus: str | None = None, tsv: str | None = None
) -> Sequence[Example]:
    """Examples to evaluate on: a file's, or those of a corpus, by default of the parser's own."""
    name = predictor.domain.name
    if tsv is not None:
        return prefixes(read_lines(tsv, name))
    options: dict[str, Any] = {}
    if split == "holdout":
        if not predictor.holdout:
            raise UserError(
                "--split holdout: the parser was trained on all dialogues; only with "
                "Task.holdout = 0.1, or another share, are some held out"
            )
        options = {"form": "turns", "holdout": predictor.holdout}
    examples = load_corpus(corpus or predictor.corpus, name, split=split, **options)
    if not examples:
        raise UserError(f"--split {split} of {corpus or predictor.corpus} has no examples")
    return examples
