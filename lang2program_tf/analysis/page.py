"""The analysis as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lang2program_tf.analysis.breakdown import Breakdown, Tally
from lang2program_tf.analysis.errors import ErrorGroup
from lang2program_tf.analysis.findings import findings, obstacles, percent
from lang2program_tf.analysis.report import Analysis
from lang2program_tf.analysis.steps import Step
from lang2program_tf.analysis.unknown_words import WordCounts
from lang2program_tf.language import World
from lang2program_tf.text_tables import markdown_table

_SHOWN_GROUPS = 15
_SHOWN_WORDS = 20
_EXAMPLES_OF_A_GROUP = 3

_STEPS = """\
An *interaction* is a line of the data with all its utterances; a *step* is one utterance of it and
the command that the program of the whole interaction has for it. Only steps whose world before is
right are counted, so that no step pays for an earlier mistake: *step accuracy* is the share of
these whose world after is right too. An interaction is *lost* at the last step that began in a
right world; so each wrong interaction is lost exactly once. Intervals are 95 % (Wilson)."""

_OBSTACLES = """\
*Lost* are interactions that fail at such a step (see below). *Beyond its share*: how many more than
as many steps of any kind lose on average. *At most*: what the accuracy of whole interactions could
rise to if all such steps were right. Rows overlap."""

_CAUSES = """\
Each lost interaction by the first of these that its step has. *No command*: no single command makes
the change that the data set shows, so the data has noise there, or the language lacks it. *Words*:
a word is unknown, or the sentence is cut. *Earlier step* and *pronoun*: the sentence refers to what
went before, by the word lists below. *Sentence alone*: none of these; it is misread, or it does not
say what happened. *Target found*: it is among the answers, and another is preferred."""

_POSITION = """\
*Final accuracy* is that of the examples with this many utterances: the world after the last one is
right. It falls from row to row because mistakes add up; *step accuracy* is that of the utterance at
this place alone."""

_ACTION = """\
What an utterance means is read off the worlds before and after it, as the data has no programs.
`nothing` is a world that stays as it is, `other` a change that no single action makes."""

_SENTENCE = """\
By the words of the sentence: *place* (third, last, left end), *property* (colors, no hat),
*neighbour* (to the left of, next to), *pronoun* (it, he, that), *earlier step* (again, same, back,
the one we removed). The lists of words are crude, and a sentence may be in several rows."""

_COMMAND = """\
By the functions that the predicted command uses, right or wrong; it may be in several rows."""

_BLAME = """\
*Ranking*: the programs found include one that leads to the target (perhaps for a wrong reason), and
another is more probable. *Search*: none of the programs found leads there."""

_WORDS = """\
Words as the parser reads them: unknown ones have no vector of their own. *Cut* are utterances whose
end it does not read."""

_BLAME_BY_WORLDS = """\
*Ranking*: the target is among the worlds that were predicted, and another is more probable.
*Search*: it is not among them."""

_CALIBRATION = """\
All examples by the probability of their best program. Several programs may lead to the same world,
so a parser may be right more often than a single program is probable."""

_CALIBRATION_BY_WORLDS = """\
All examples by the probability of their world: the sum over the programs that were found and lead
there, sentence by sentence."""


def page(analysis: Analysis, *, subject: str, examples: int, picture: str | None) -> str:
    """The page.

    Args:
        analysis: what to write of.
        subject: which parser and which data, for the second line.
        examples: how many wrong steps to show.
        picture: address of the calibration plot, None to leave it out.
    """
    sections = [
        f"# Analysis: {analysis.domain.name}",
        subject,
        "\n".join(f"- {sentence}" for sentence in findings(analysis)),
        *_obstacles(analysis),
        *_what_is_left(analysis),
        "## How it is counted",
        _STEPS,
        *_accuracy(analysis),
        *_errors(analysis, examples),
        *_words(analysis),
        *_calibration(analysis, picture),
    ]
    return "\n\n".join(sections) + "\n"


def _obstacles(analysis: Analysis) -> Iterator[str]:
    worst = obstacles(analysis)
    if not worst:
        return
    right, total = analysis.interactions.correct, analysis.interactions.examples
    yield from ("## What holds accuracy back", _OBSTACLES)
    rows = [
        (
            obstacle.name,
            *(
                obstacle.tally.steps,
                percent(obstacle.tally.right, obstacle.tally.steps),
                obstacle.tally.lost,
            ),
            f"{obstacle.excess:.0f}",
            percent(right + obstacle.tally.lost, total),
        )
        for obstacle in worst
    ]
    head = ("steps with", "steps", "step accuracy", "lost", "beyond its share", "at most")
    yield markdown_table(head, rows)


def _what_is_left(analysis: Analysis) -> Iterator[str]:
    if not analysis.lost:
        return
    yield from ("## What is left", _CAUSES)
    rows = [
        (cause, count.steps, percent(count.steps, analysis.lost), count.found)
        for cause, count in analysis.causes.items()
    ]
    yield markdown_table(("cause", "lost", "share", "target found"), rows)


def _accuracy(analysis: Analysis) -> Iterator[str]:
    yield from ("## By position", _POSITION)
    rows = []
    for length, measured in analysis.lengths.items():
        steps = analysis.position.get(str(length), Tally(0, 0, 0))
        accuracy = percent(measured.correct, measured.examples)
        final = (measured.examples, accuracy, _interval(measured.interval))
        rows.append((length, *final, *_tally(steps)))
    final_head = ("utterance", "examples", "final accuracy", "interval")
    yield markdown_table((*final_head, *_TALLY_HEAD), rows)
    yield from ("## By action", _ACTION, _breakdown("action", analysis.action))
    yield from ("## By way of reference", _SENTENCE, _breakdown("sentence", analysis.sentence))
    yield from (_COMMAND, _breakdown("command", analysis.command))


_TALLY_HEAD = ("steps", "step accuracy", "interval", "lost")


def _breakdown(name: str, found: Breakdown) -> str:
    lines = [(key, *_tally(tally)) for key, tally in found.items()]
    return markdown_table((name, *_TALLY_HEAD), lines)


def _tally(tally: Tally) -> tuple[object, ...]:
    interval = _interval(tally.interval) if tally.steps else "–"
    return tally.steps, percent(tally.right, tally.steps), interval, tally.lost


def _errors(analysis: Analysis, examples: int) -> Iterator[str]:
    yield "## Mistakes"
    if analysis.lost:
        yield f"The {analysis.lost} steps at which interactions are lost:"
        yield _groups(analysis)
    yield _BLAME_BY_WORLDS if analysis.by_worlds else _BLAME
    yield markdown_table(
        ("utterances", "wrong", "ranking", "search", "no program"),
        [(length, *counts) for length, counts in analysis.failures.items()],
    )
    yield from _shown(analysis.errors, examples)


def _groups(analysis: Analysis) -> str:
    counts = [(_title(group), len(group.steps)) for group in analysis.errors[:_SHOWN_GROUPS]]
    hidden = sum(len(group.steps) for group in analysis.errors[_SHOWN_GROUPS:])
    if hidden:
        counts.append(("others", hidden))
    rows = [(title, count, percent(count, analysis.lost)) for title, count in counts]
    return markdown_table(("meant → predicted", "steps", "share"), rows)


def _title(group: ErrorGroup) -> str:
    return f"{group.gold} → {group.predicted}"


def _shown(groups: Sequence[ErrorGroup], examples: int) -> Iterator[str]:
    """Some steps of the most frequent groups, the parser's surest mistakes first."""
    for group in groups:
        steps = group.steps[: min(examples, _EXAMPLES_OF_A_GROUP)]
        if not steps:
            return
        examples -= len(steps)
        yield f"### {_title(group)} ({len(group.steps)})"
        yield from (f"```\n{_show(step)}\n```" for step in steps)


def _show(step: Step) -> str:
    rows = [("earlier", sentence) for sentence in step.earlier]
    rows += [("world", _world(step.before)), ("sentence", step.utterance)]
    if step.command and step.world is not None:
        rows += [("predicted", step.command.infix), ("", _world(step.world))]
    else:
        rows.append(("predicted", "no program"))
    rows.append(("target", _world(step.target)))
    return "\n".join(f"{name:<9}  {text}" for name, text in rows)


def _world(world: World) -> str:
    return str(world) or "(an empty row)"


def _words(analysis: Analysis) -> Iterator[str]:
    def row(name: str, counts: WordCounts) -> tuple[object, ...]:
        share = percent(counts.unknown, counts.words)
        with_unknown = percent(counts.with_unknown, counts.utterances)
        return (
            name,
            counts.utterances,
            counts.words,
            counts.unknown,
            share,
            with_unknown,
            counts.cut,
        )

    head = ("steps", "utterances", "words", "unknown", "share", "with an unknown word", "cut")
    words = analysis.words
    yield from ("## Unknown words", _WORDS)
    yield markdown_table(head, [row("right", words.right), row("wrong", words.wrong)])
    if words.frequent:
        shown = ", ".join(f"`{word}` {count}" for word, count in words.frequent[:_SHOWN_WORDS])
        yield f"Unknown in wrong steps: {shown}."


def _calibration(analysis: Analysis, picture: str | None) -> Iterator[str]:
    yield "## Calibration"
    yield _CALIBRATION_BY_WORLDS if analysis.by_worlds else _CALIBRATION
    rows = [
        (
            f"{group.low:.1f} to {group.high:.1f}",
            group.examples,
            f"{group.probability:.3f}",
            f"{group.accuracy:.3f}",
        )
        for group in analysis.bins
        if group.examples
    ]
    yield markdown_table(("probability", "examples", "mean probability", "accuracy"), rows)
    yield f"Expected calibration error: {analysis.calibration_error:.3f}."
    if picture:
        yield f"![Probability against accuracy]({picture})"


def _interval(interval: tuple[float, float]) -> str:
    return f"{100 * interval[0]:.0f} to {100 * interval[1]:.0f} %"
