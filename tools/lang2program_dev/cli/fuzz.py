"""`lang2program fuzz`: random programs, the Python executor against the tensor machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Callable

from lang2program_dev.fuzzing.cases import Case, Failure, find_failure, show_case
from lang2program_dev.fuzzing.fuzz import Budget, FuzzReport, fuzz
from lang2program_dev.fuzzing.side_by_side import SideBySide
from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.errors import UserError
from lang2program_tf.language import DOMAINS, LanguageError, get_domain, parse_program
from lang2program_tf.machine import Machine, get_machine

_ALL = "all"
_DIFFERS = 1
_DEFAULT_STEPS = 100_000
_MOST_UTTERANCES = 100
_EPILOG = """\
Exit codes: 0 if the executors agree, 1 if they differ anywhere, 2 for bad usage. A difference is
shrunk to a small case and printed as a command that shows it. Examples:

  lang2program fuzz --domain all --steps 1000000
  lang2program fuzz --domain tangrams --world "1:2 2:0" --utterances 2 \\
      --program "allObjects 1 index remove 1 -1 prevArg1 add"
"""


def main(argv: Sequence[str], *, machine_of: Callable[[str], Machine] = get_machine) -> int:
    """Runs the command; returns its exit code.

    Args:
        argv: the arguments.
        machine_of: gives the tensor machine of a domain.
    """
    args = _parser().parse_args(argv)
    if args.program is not None or args.world is not None or args.utterances is not None:
        return _run_case(_read_case(args), machine_of)
    budget = _read_budget(args)
    if args.batch < 1:
        raise UserError(f"--batch {args.batch}: give at least 1")
    code = 0
    for name in DOMAINS if args.domain == _ALL else [args.domain]:
        report = fuzz(machine_of(name), budget=budget, seed=args.seed, batch=args.batch)
        print(_show_report(report, seed=args.seed, batch=args.batch))
        if report.differences or report.coverage.contradictions():
            code = _DIFFERS
    return code


def _read_budget(args: argparse.Namespace) -> Budget:
    if args.minutes is not None:
        if not args.minutes > 0:
            raise UserError(f"--minutes {args.minutes}: give more than 0")
        return Budget(seconds=60 * args.minutes)
    steps = _DEFAULT_STEPS if args.steps is None else args.steps
    if steps < 1:
        raise UserError(f"--steps {steps}: give at least 1")
    return Budget(steps=steps)


def _read_case(args: argparse.Namespace) -> Case:
    if args.program is None or args.world is None or args.utterances is None:
        raise UserError("--world, --utterances and --program go together: one of them is missing")
    if args.domain == _ALL:
        raise UserError("--domain all: a program is of one domain")
    if not 1 <= args.utterances <= _MOST_UTTERANCES:
        raise UserError(f"--utterances {args.utterances}: give 1 to {_MOST_UTTERANCES}")
    domain = get_domain(args.domain)
    try:
        world = domain.parse_world(args.world)
        program = parse_program(domain, args.program)
    except LanguageError as error:
        raise UserError(str(error)) from error
    if not program:
        raise UserError("--program is empty: give at least one token")
    return Case(domain, world, args.utterances, program)


def _run_case(case: Case, machine_of: Callable[[str], Machine]) -> int:
    side_by_side = SideBySide(machine_of(case.domain.name), max_utterances=case.num_utterances)
    print(show_case(side_by_side, case))
    if find_failure(side_by_side, case) is None:
        print("the executors agree")
        return 0
    print("the executors differ")
    return _DIFFERS


def _show_report(report: FuzzReport, *, seed: int, batch: int) -> str:
    coverage = report.coverage
    name = coverage.domain.name
    shares = ", ".join(
        f"{length}: {count / report.states:.0%}"
        for length, count in sorted(report.histories.items())
    )
    lines = [
        f"{name}: {report.steps:,} token steps compared in {report.seconds:.1f} s "
        f"({report.steps / report.seconds:,.0f}/s), {report.differences} differences",
        f"{report.states:,} states ({report.states * len(coverage.domain.tokens):,} outcomes "
        f"compared) on {report.walks:,} walks; {report.situations:,} different situations",
        f"commands performed before: {shares}",
        "",
        coverage.table(),
        "",
        f"possible, and never reached: {' '.join(coverage.unreached()) or 'nothing'}",
        "impossible by the rules of the language:",
        coverage.impossible_table(),
        "",
    ]
    if coverage.contradictions():
        lines.append(f"held to be impossible, and reached: {' '.join(coverage.contradictions())}")
    lines += [_show_failure(failure) for failure in report.failures]
    lines += [
        f"difference in {', '.join(failure.parts)}, only when it runs among others: "
        f"{failure.case.command()}\n"
        f"  it comes up with: lang2program fuzz --domain {name} --steps {report.steps} "
        f"--seed {seed} --batch {batch}"
        for failure in report.only_in_batch
    ]
    return "\n".join(lines)


def _show_failure(failure: Failure) -> str:
    return f"difference in {', '.join(failure.parts)}; to see it:\n  {failure.case.command()}"


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="lang2program fuzz",
        description="Runs random programs on random worlds with the Python executor and with the "
        "tensor machine, and compares: the outcomes of all tokens from every state, and every "
        "state. Prints how often each token had each outcome.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--domain", choices=[*DOMAINS, _ALL], required=True)
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--steps",
        type=int,
        metavar="N",
        help=f"token steps to compare, for each domain (default: {_DEFAULT_STEPS:,})",
    )
    length.add_argument(
        "--minutes", type=float, metavar="X", help="minutes to spend on each domain"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    parser.add_argument(
        "--batch", type=int, default=512, metavar="B", help="walks at once (default: 512)"
    )
    case = parser.add_argument_group("one case instead of random ones")
    case.add_argument("--world", metavar="TEXT", help="the world in the notation of SCONE")
    case.add_argument("--utterances", type=int, metavar="M", help="commands that complete it")
    case.add_argument("--program", metavar="TEXT", help="the program, postfix or infix")
    return parser
