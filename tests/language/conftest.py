"""Random tests of the language may take their time: a busy machine must not fail them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("language", deadline=None)
settings.load_profile("language")
