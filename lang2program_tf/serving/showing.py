"""An answer for the terminal: worlds drawn, programs in infix, alternatives, attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lang2program_tf.language import Domain, get_domain, to_infix
from lang2program_tf.language.infix import infix_commands
from lang2program_tf.serving.answers import ParseAnswer, ParseRequest, ScoreAnswer
from lang2program_tf.serving.client import Client

# From no attention to all of it.
_SHADES = " ░▒▓█"


def show_answer(client: Client, request: ParseRequest, answer: ParseAnswer, *, ansi: bool) -> str:
    """The text for an answer that has a program.

    Args:
        client: asked for the attention.
        request: the request.
        answer: its answer.
        ansi: whether to use the terminal's colors.
    """
    domain = get_domain(client.metadata().domain)
    best = answer.alternatives[0]
    commands = infix_commands(domain, best.program.split())
    said = [text for text in request.utterances if text.strip()]
    lines = [show_world(domain, request.world, ansi=ansi)]
    for number, (utterance, command, world) in enumerate(
        zip(said, commands, answer.worlds), start=1
    ):
        lines += [f"{number}. {utterance}", *show_reading(utterance, answer, number - 1)]
        lines += [f"   {command.infix}", show_world(domain, world, ansi=ansi)]
    lines += ["programs:", *show_alternatives(domain, answer), ""]
    lines += show_attention(client, request, best.program.split())
    return "\n".join(lines)


def show_reading(utterance: str, answer: ParseAnswer, place: int) -> list[str]:
    """How the parser has read an utterance if not as it stands, and the words it does not know."""
    lines = []
    if answer.read_as and answer.read_as[place].split() != utterance.lower().split():
        lines.append(f"   (read as: {answer.read_as[place]})")
    if answer.unknown_words and answer.unknown_words[place]:
        lines.append(f"   (unknown words: {', '.join(answer.unknown_words[place])})")
    return lines


def show_world(domain: Domain, text: str, *, ansi: bool) -> str:
    """A world in its notation and drawn."""
    world = domain.parse_world(text)
    return f"{str(world) or '(empty)'}\n{world.draw(ansi=ansi)}\n"


def show_alternatives(domain: Domain, answer: ParseAnswer) -> list[str]:
    """A line a program; found ones beyond those of the answer are counted."""
    lines = [
        f"  {alternative.probability:7.2%}  {to_infix(domain, alternative.program.split())}"
        for alternative in answer.alternatives
    ]
    more = answer.num_found - len(answer.alternatives)
    return [*lines, f"  and {more} more"] if more > 0 else lines


def show_attention(client: Client, request: ParseRequest, tokens: Sequence[str]) -> list[str]:
    """For each utterance a table: a line a token, a column a word."""
    prefixes = [" ".join(tokens[:length]) for length in range(len(tokens))]
    scores = client.score_many(request.world, request.utterances, prefixes)
    names = client.metadata().tokens
    width = max(map(len, tokens))
    lines = ["attention of each token to the words (░ ▒ ▓ █), and the token's probability:"]
    utterance = 0
    for token, score in zip(tokens, scores):
        if score.utterance != utterance:
            utterance = score.utterance
            words = " ".join(word for word, _ in score.attention)
            lines += ["", f"  {'':{width}}         {words}"]
        probability = _probability(score, names.index(token))
        lines.append(f"  {token:{width}}  {probability:4.0%}   {_shades(score)}".rstrip())
    return lines


def _probability(score: ScoreAnswer, token: int) -> float:
    return math.exp(score.log_probs[token])


def _shades(score: ScoreAnswer) -> str:
    """A run of shades below each word."""
    most = len(_SHADES) - 1
    return " ".join(
        _SHADES[min(round(weight * most), most)] * len(word) for word, weight in score.attention
    )


def answer_json(domain: str, request: ParseRequest, answer: ParseAnswer) -> dict[str, Any]:
    """The answer as `executor.pyz verify` reads it."""
    return {
        "domain": domain,
        "request": {"world": request.world, "utterances": list(request.utterances)},
        "program": [alternative.program for alternative in answer.alternatives],
        "infix": [
            to_infix(get_domain(domain), alternative.program.split())
            for alternative in answer.alternatives
        ],
        "world": [alternative.world for alternative in answer.alternatives],
        "log_prob": [alternative.log_prob for alternative in answer.alternatives],
        "worlds": list(answer.worlds),
        "num_found": answer.num_found,
        "read_as": list(answer.read_as),
        "unknown_words": [list(words) for words in answer.unknown_words],
        "error": answer.error,
    }
