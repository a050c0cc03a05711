"""The ids of words that are no words: the first rows of every table of word vectors."""

from __future__ import annotations

UNKNOWN = 0
# Its row has numbers, as in the original, but the model embeds padding as zeros.
PADDING = 1
