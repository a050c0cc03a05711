"""One program on one world as a case: does it show a difference, and what do both executors do?"""

from __future__ import annotations

import shlex
from typing import NamedTuple

import numpy as np

from lang2program_dev.fuzzing.side_by_side import Comparison, Difference, SideBySide
from lang2program_tf.language import Continuation, Domain, Outcome, State, Token, World
from lang2program_tf.language.scene import Person, SceneWorld
from lang2program_tf.language.values import ObjectList, Value, show_value
from lang2program_tf.machine import MachineState
from lang2program_tf.machine.decode import decode_state
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import OUTCOMES


class Case(NamedTuple):
    """A program on a world.

    Attributes:
        domain: the domain.
        world: where the program starts.
        num_utterances: after how many commands it is complete.
        program: the tokens.
    """

    domain: Domain
    world: World
    num_utterances: int
    program: tuple[Token, ...]

    def command(self) -> str:
        """The command line that runs this case alone."""
        program = " ".join(token.name for token in self.program)
        return (
            f"lang2program fuzz --domain {self.domain.name} --world {shlex.quote(str(self.world))} "
            f"--utterances {self.num_utterances} --program {shlex.quote(program)}"
        )


class Failure(NamedTuple):
    """A case on which the executors disagree.

    Attributes:
        case: the case; they disagree on the last token of its program.
        parts: in what, as in `Difference`.
    """

    case: Case
    parts: tuple[str, ...]


def find_failure(side_by_side: SideBySide, case: Case) -> Failure | None:
    """The first token of the program at which any token makes a difference."""
    _, comparison = _run(side_by_side, case)
    if not comparison.differences:
        return None
    first = comparison.differences[0].row
    wanted = case.domain.token_id(case.program[first])
    # If several tokens make a difference in this state, stay with the program's own.
    difference = min(
        (d for d in comparison.differences if d.row == first), key=lambda d: d.token != wanted
    )
    token = case.domain.tokens[difference.token]
    return Failure(case._replace(program=(*case.program[:first], token)), difference.parts)


def _run(side_by_side: SideBySide, case: Case) -> tuple[list[Continuation], Comparison]:
    """Follows the program as long as a search would; every token is tried at every step.

    Returns:
        What Python makes of the tokens of the program, and the comparison of all tokens.
    """
    state = State(case.world)
    states: list[State] = []
    tried: list[tuple[Continuation, ...]] = []
    steps: list[Continuation] = []
    for token in case.program:
        states.append(state)
        tried += side_by_side.try_tokens([state], [case.num_utterances])
        steps.append(tried[-1][case.domain.token_id(token)])
        if steps[-1].outcome is not Outcome.CONTINUES:
            break
        assert steps[-1].state is not None
        state = steps[-1].state
    counts = [case.num_utterances] * len(states)
    return steps, side_by_side.compare(states, counts, tried=tried, applied=tried)


def show_case(side_by_side: SideBySide, case: Case) -> str:
    """What both executors make of every token of the program, side by side."""
    steps, comparison = _run(side_by_side, case)
    blocks = [f"world: {case.world!s}"]
    for row, step in enumerate(steps):
        blocks.append(f"{row + 1}. {step.token.name}")
        blocks.append(_show_step(side_by_side.machine.rules, step, comparison, row=row))
    for difference in comparison.differences:
        blocks.append(_show_difference(case, difference, comparison))
    if len(steps) < len(case.program):
        left = " ".join(token.name for token in case.program[len(steps) :])
        blocks.append(f"a search does not go on from here; not run: {left}")
    return "\n".join(blocks)


def _show_step(rules: Rules, step: Continuation, comparison: Comparison, *, row: int) -> str:
    token = rules.domain.token_id(step.token)
    machine_outcome = OUTCOMES[comparison.machine_outcomes[row, token]]
    rows = [("outcome", step.outcome.value, machine_outcome)]
    place = _place(comparison, row=row, token=token)
    if step.state is not None and place is not None:
        after = MachineState(*(part[place] for part in comparison.applied.machine))
        python = _fields(step.state)
        machine = _machine_fields(rules, after)
        rows += [
            (name, python.get(name, ""), machine.get(name, "")) for name in {**python, **machine}
        ]
    return _columns([("", "python", "machine"), *rows])


def _place(comparison: Comparison, *, row: int, token: int) -> int | None:
    """Where among the applied tokens this one is, if it was applied."""
    applied = comparison.applied
    places = np.flatnonzero((applied.rows == row) & (applied.tokens == token))
    return int(places[0]) if len(places) else None


def _fields(state: State) -> dict[str, str]:
    fields = {
        "world": str(state.world),
        "stack": ", ".join(map(_show, state.stack)),
        "history": "; ".join(
            f"{action}({', '.join(map(_show, arguments))})" for action, arguments in state.history
        ),
        "utterance": str(state.utterance),
    }
    if isinstance(state.world, SceneWorld):
        identities = " ".join(str(person.identity) for person in state.world.objects)
        fields["identities"] = f"{identities}; next {state.world.next_identity}"
    return fields


def _machine_fields(rules: Rules, state: MachineState) -> dict[str, str]:
    try:
        fields = _fields(decode_state(rules, state))
    except (IndexError, ValueError) as error:
        return {"codes": f"stand for no state ({error})"}
    return {**fields, "utterance": str(state.utterance)}


def _show(value: Value) -> str:
    if isinstance(value, ObjectList):
        return "[" + " ".join(map(_show, value)) + "]"
    # The hidden number is part of the state.
    return f"{value}#{value.identity}" if isinstance(value, Person) else show_value(value)


def _columns(rows: list[tuple[str, str, str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"  {name:<{widths[0]}} {'*' if name and python != machine else ' '} "
        f"{python:<{widths[1]}} | {machine}".rstrip()
        for name, python, machine in rows
    )


def _show_difference(case: Case, difference: Difference, comparison: Comparison) -> str:
    """The parts in which a token makes a difference, as the ints of the machine."""
    row, token, parts = difference
    name = case.domain.tokens[token].name
    lines = [f"difference: {name} as token {row + 1}, in {', '.join(parts)}"]
    outcomes = comparison.outcomes[row, token], comparison.machine_outcomes[row, token]
    if outcomes[0] != outcomes[1]:
        lines.append(f"  outcome: python {OUTCOMES[outcomes[0]]}, machine {OUTCOMES[outcomes[1]]}")
    place = _place(comparison, row=row, token=token)
    if place is not None:
        for part in parts:
            if part in MachineState._fields:
                python = getattr(comparison.applied.python, part)[place].tolist()
                machine = getattr(comparison.applied.machine, part)[place].tolist()
                lines.append(f"  {part}: python {python}, machine {machine}")
    return "\n".join(lines)
