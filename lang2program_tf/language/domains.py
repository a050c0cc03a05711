"""The registry of domains."""

from __future__ import annotations

from typing import Dict

from lang2program_tf.language.alchemy import ALCHEMY
from lang2program_tf.language.domain import Domain
from lang2program_tf.language.errors import UnknownDomainError
from lang2program_tf.language.scene import SCENE
from lang2program_tf.language.tangrams import TANGRAMS

DOMAINS: Dict[str, Domain] = {domain.name: domain for domain in (ALCHEMY, SCENE, TANGRAMS)}


def get_domain(name: str) -> Domain:
    """The domain called `name`."""
    if not isinstance(name, str) or name not in DOMAINS:
        raise UnknownDomainError(f"there is no domain {name!r}; domains are: {', '.join(DOMAINS)}")
    return DOMAINS[name]
