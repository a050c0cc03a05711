"""Log-probabilities."""

from __future__ import annotations

NEVER = -float("inf")  # of what cannot be
