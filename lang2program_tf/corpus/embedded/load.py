"""The embedded corpus as examples, in memory."""

from __future__ import annotations

import gin
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits, orig_lines
from lang2program_tf.corpus.load import check_form, examples_of
from lang2program_tf.corpus.scone import Example

_DEFAULT = Sizes()


@gin.configurable
def load_embedded(
    domain: str,
    *,
    split: str,
    form: str = "substrings",
    holdout: float = 0.0,
    seed: int = 0,
    train_lines: int = _DEFAULT.train,
    dev_lines: int = _DEFAULT.dev,
    test_lines: int = _DEFAULT.test,
) -> tuple[Example, ...]:
    """Examples of the embedded corpus, with gold programs, in the order of `load_examples`.

    Args:
        domain: the name of a domain.
        split: `train`, `holdout`, `dev` or `test`.
        form: of training examples, `substrings`, `orig` or `turns`, as for `load_examples`.
        holdout: the share of the training lines that is the split `holdout`.
        seed: of all chance in it; the same seed gives the same examples everywhere.
        train_lines: how many interactions of five utterances are for training.
        dev_lines: how many for validation.
        test_lines: how many for the test.
    """
    check_form(split=split, form=form, holdout=holdout)
    sizes = Sizes(train_lines, dev_lines, test_lines)
    source = "train" if split == "holdout" else split
    lines = generate_splits(domain, seed=seed, sizes=sizes, until=source)[source]
    if split == "train" and form == "orig":
        lines = orig_lines(domain, lines)
    return examples_of(lines, domain=domain, split=split, form=form, holdout=holdout)
