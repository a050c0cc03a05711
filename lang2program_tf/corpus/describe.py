"""Facts about a data set: how much there is, how long its sentences, which words are unknown."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lang2program_tf.corpus.programs import load_programs
from lang2program_tf.corpus.scone import Line, prefixes, substrings
from lang2program_tf.corpus.turns import read_dialogues, turns
from lang2program_tf.corpus.words import WordVectors, tokenize
from lang2program_tf.language import MAX_TOKENS, Domain
from lang2program_tf.word_ids import UNKNOWN

_SHOWN_UNKNOWN = 20
_BAR_WIDTH = 40


@dataclass(frozen=True)
class Known:
    """How words split up by where their vectors come from.

    Attributes:
        genuine: those with a GloVe vector of their own.
        aliased: those with the vector of another word.
        unknown: those with the vector of the unknown word.
    """

    genuine: int
    aliased: int
    unknown: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.genuine + self.aliased + self.unknown


@dataclass(frozen=True)
class Turns:
    """How many turns have no command, one command, several commands that fit their worlds."""

    none: int
    one: int
    several: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.none + self.one + self.several


@dataclass(frozen=True)
class Programs:
    """How many programs of one command the turns have.

    Attributes:
        turns: how many turns there are.
        without: how many of them have no program.
        mean: programs of a turn.
        median: programs of a turn.
        largest: the most programs that a turn has.
        two_utterances: programs for the first two utterances of a line together, on average over
            lines that have two: those that pass through the world in between, so at least as many.
        largest_two_utterances: the most of them that a line has.
    """

    turns: int
    without: int
    mean: float
    median: float
    largest: int
    two_utterances: float | None
    largest_two_utterances: int | None


@dataclass(frozen=True)
class Description:
    """What `describe` finds.

    Attributes:
        name: of the data set.
        domain: the name of a domain.
        lines: number of interactions.
        lines_by_utterances: for each number of utterances, how many lines have it.
        substrings: how many training examples the lines make; None if some world is unknown.
        prefixes: how many evaluation examples the lines make; None if some world is unknown.
        turns: how many of the utterances stand between worlds that no command, one command or
            several commands connect; None if some world is unknown.
        programs: how many programs the turns have; None if some world is unknown or nobody asked.
        utterances_by_words: for each number of words, how many utterances have it.
        max_words: where the model cuts an utterance.
        running: all words, counted as often as they occur.
        vocabulary: different words.
        frequent_unknown: the most frequent unknown words and how often they occur.
    """

    name: str
    domain: str
    lines: int
    lines_by_utterances: dict[int, int]
    substrings: int | None
    prefixes: int | None
    turns: Turns | None
    programs: Programs | None
    utterances_by_words: dict[int, int]
    max_words: int
    running: Known
    vocabulary: Known
    frequent_unknown: tuple[tuple[str, int], ...]

    @property
    def utterances(self) -> int:
        """Number of utterances."""
        return sum(self.utterances_by_words.values())

    @property
    def cut_utterances(self) -> int:
        """Number of utterances of which the model does not see the end."""
        return sum(n for words, n in self.utterances_by_words.items() if words > self.max_words)


def describe(
    lines: Sequence[Line],
    *,
    name: str,
    domain: Domain,
    vectors: WordVectors,
    count_programs: bool = False,
) -> Description:
    """Counts what is in these lines.

    Args:
        lines: at least one.
        name: what to call them.
        domain: whose lines they are.
        vectors: the words that are known.
        count_programs: whether to list the programs of all turns, which may take a minute.
    """
    utterances = [tokenize(utterance) for line in lines for utterance in line.utterances]
    counts = Counter(word for utterance in utterances for word in utterance)
    kinds = {word: _kind(word, vectors) for word in counts}
    unknown = [(word, n) for word, n in counts.items() if kinds[word] == "unknown"]
    whole = all(world is not None for line in lines for world in line.worlds)
    return Description(
        name=name,
        domain=domain.name,
        lines=len(lines),
        lines_by_utterances=_histogram([len(line.utterances) for line in lines]),
        substrings=len(substrings(lines)) if whole else None,
        prefixes=len(prefixes(lines)) if whole else None,
        turns=_count_turns(lines, domain) if whole else None,
        programs=_count_programs(lines, domain) if whole and count_programs else None,
        utterances_by_words=_histogram([len(utterance) for utterance in utterances]),
        max_words=domain.max_words,
        running=_known(Counter(kinds[word] for word in counts.elements())),
        vocabulary=_known(Counter(kinds.values())),
        frequent_unknown=tuple(sorted(unknown, key=lambda item: (-item[1], item[0])))[
            :_SHOWN_UNKNOWN
        ],
    )


def _count_turns(lines: Sequence[Line], domain: Domain) -> Turns:
    counts = [
        len(commands)
        for dialogue in read_dialogues(lines, domain=domain.name)
        for commands in dialogue.candidates
    ]
    none, one = counts.count(0), counts.count(1)
    return Turns(none, one, len(counts) - none - one)


def _count_programs(lines: Sequence[Line], domain: Domain) -> Programs:
    examples = turns(lines, domain=domain.name)
    counts = load_programs(domain, examples).counts.tolist()
    by_turn = {(e.line, len(e.utterances)): n for e, n in zip(examples, counts)}
    pairs = [by_turn[line, 1] * n for (line, turn), n in by_turn.items() if turn == 2]
    return Programs(
        turns=len(counts),
        without=counts.count(0),
        mean=statistics.mean(counts),
        median=statistics.median(counts),
        largest=max(counts),
        two_utterances=statistics.mean(pairs) if pairs else None,
        largest_two_utterances=max(pairs, default=None),
    )


def _kind(word: str, vectors: WordVectors) -> str:
    if vectors.lookup(word) == UNKNOWN:
        return "unknown"
    return "aliased" if word in vectors.source.aliases else "genuine"


def _known(counts: Counter[str]) -> Known:
    return Known(counts["genuine"], counts["aliased"], counts["unknown"])


def _histogram(numbers: Sequence[int]) -> dict[int, int]:
    return dict(sorted(Counter(numbers).items()))


def to_text(found: Description) -> str:
    """A description for people."""
    lengths = [n for n, count in found.utterances_by_words.items() for _ in range(count)]
    by_utterances = ", ".join(f"{n:,} with {m}" for m, n in found.lines_by_utterances.items())
    rows = [
        f"{found.name} ({found.domain})",
        f"  lines             {found.lines:,}; by number of utterances: {by_utterances}",
    ]
    if found.substrings is not None:
        rows.append(
            f"  examples          {found.substrings:,} for training (1 or 2 utterances), "
            f"{found.prefixes:,} for evaluation (from the first utterance on)"
        )
    if found.turns is not None:
        rows.append(
            f"  turns             {found.turns.total:,}; commands that fit the worlds: none "
            f"{_share(found.turns.none, found.turns.total)}, one "
            f"{_share(found.turns.one, found.turns.total)}, several "
            f"{_share(found.turns.several, found.turns.total)}"
        )
    if found.programs is not None:
        rows += _program_rows(found.programs)
    rows += [
        f"  utterances        {found.utterances:,}; words in each: {lengths[0]} to {lengths[-1]}, "
        f"median {statistics.median(lengths):g}, mean {statistics.mean(lengths):.1f}",
        f"  cut               {_share(found.cut_utterances, found.utterances)} of the utterances "
        f"have more than {found.max_words} words",
        *_bars(found),
        f"  words             {_kinds(found.running)}",
        f"  different words   {_kinds(found.vocabulary)}",
    ]
    if found.frequent_unknown:
        unknown = "  ".join(f"{word!r} {n:,}" for word, n in found.frequent_unknown)
        rows.append(f"  unknown           {unknown}")
    return "\n".join(rows)


def _program_rows(found: Programs) -> list[str]:
    rows = [
        f"  programs          of a turn, up to {MAX_TOKENS} tokens: mean {found.mean:.1f}, "
        f"median {found.median:g}, largest {found.largest:,}; "
        f"none for {_share(found.without, found.turns)}"
    ]
    if found.two_utterances is not None:
        rows.append(
            "                    of the first two utterances together, at least: "
            f"mean {found.two_utterances:,.0f}, largest {found.largest_two_utterances:,}"
        )
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.2%})"


def _kinds(known: Known) -> str:
    return (
        f"{known.total:,}: {known.genuine:,} with a GloVe vector, {known.aliased:,} with that of "
        f"another word, {_share(known.unknown, known.total)} unknown"
    )


def _bars(found: Description) -> list[str]:
    """The lengths of utterances as a bar chart; those that are cut share the last bar."""
    bars = {f"{n}": c for n, c in found.utterances_by_words.items() if n <= found.max_words}
    bars["more"] = found.cut_utterances
    longest = max(bars.values())
    return [
        f"    {words:>4} words {'#' * round(_BAR_WIDTH * count / longest)} {count:,}"
        for words, count in bars.items()
    ]


def to_json(found: Description) -> dict[str, object]:
    """A description for programs."""
    return {
        **dataclasses.asdict(found),
        "utterances": found.utterances,
        "cut_utterances": found.cut_utterances,
        "unknown_rate": found.running.unknown / found.running.total,
        "unknown_rate_of_vocabulary": found.vocabulary.unknown / found.vocabulary.total,
    }
