"""`lang2program reproduce`: trains all runs of a table, and writes the table."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from lang2program_tf.cli.arguments import OneLineParser
from lang2program_tf.reproduction.cells import DOMAINS, select_runs
from lang2program_tf.reproduction.tables import AS_RUN, BEAMS, NAMES, READINGS, read_table

_EPILOG = """examples:
  lang2program reproduce table1 --jobs 2
  lang2program reproduce table1 --domain scene --row randomer bs_mml --seeds 0 1
  lang2program reproduce table1 --row randomer --reading text
  lang2program reproduce figure3 --report_only
  lang2program reproduce beams --seeds 0
  lang2program reproduce turns --domain scene --row full three_together
  RAY_ADDRESS=head:6379 lang2program reproduce table2 --engine ray --jobs 40

The tables 1 to 4, Figure 3 and the settings as released are the paper's. Its text and its runs
differ (docs/parity.md): `--reading text` follows the text, and its tables are called TABLE_text.
Rows that several tables share are run once. beams trains nothing: it shows what the runs of
RandoMer and BS-MML on scene make of the example in the paper's last table. turns is the table of
ablations for the parser in context (gin/turns/). Its rows best_program, one_world, beam_32 and
three_together train nothing: they evaluate the runs of the row full, which must be there.

Runs are kept in ROOT_DIR/<gin file without .gin>/seed_<n>, with a log beside each; the table is
RESULTS/TABLE.md, and RESULTS/TABLE.json with the settings and curves of all runs. What is done is
skipped, also if it is only in a RESULTS/TABLE.json: results of several machines add up. The same
command goes on where it was stopped. With Ray, all nodes must have this package and the data, and
ROOT_DIR must be on a file system that they share. A cluster with tokens, the default of newer Rays,
also wants RAY_AUTH_MODE=token and its token (RAY_AUTH_TOKEN, see Ray's documentation).

The last line of output is one JSON object. Exit codes: 0 when all runs are done, 1 when some have
failed, 2 for an error, 130 and 143 when stopped by Ctrl-C and by SIGTERM (the runs have saved
themselves)."""


def _parser() -> OneLineParser:
    parser = OneLineParser(
        "lang2program reproduce",
        description="Trains all runs of a table of the paper, or of our own, and writes the table "
        "with the paper's figures, or the goal, beside ours.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [*NAMES, BEAMS]
    parser.add_argument("table", metavar="TABLE", choices=names, help=", ".join(names))
    parser.add_argument(
        "--reading",
        choices=READINGS,
        default=AS_RUN,
        help="how the paper is read: as it was run, or as its text says (default: as_run)",
    )
    parser.add_argument("--domain", nargs="+", choices=DOMAINS, default=[], help="only these")
    parser.add_argument(
        "--row", nargs="+", default=[], help="only these; a wrong name tells which there are"
    )
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=_seed,
        default=[],
        help="default: 0 1 2; five for RandoMer of table1 and for figure3; one to three in turns",
    )
    parser.add_argument("--jobs", type=_count, default=1, help="runs at a time (default: 1)")
    parser.add_argument("--root_dir", default="runs", help="the folder of runs (default: runs)")
    parser.add_argument("--results", default="results", help="where tables go (default: results)")
    parser.add_argument(
        "--engine", choices=["local", "ray"], default="local", help="this machine, or Ray"
    )
    parser.add_argument(
        "--gin_param", action="append", default=[], help="a gin binding that overrides the files"
    )
    parser.add_argument(
        "--report_only", action="store_true", help="trains nothing: the table of what is done"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    arguments = _parser().parse_args(argv)
    if arguments.table == BEAMS:
        return _beams(arguments)
    table = read_table(arguments.table, reading=arguments.reading)
    runs = select_runs(table, domains=arguments.domain, rows=arguments.row, seeds=arguments.seeds)
    from lang2program_tf.reproduction.reproduction import Outcome, Reproduction

    reproduction = Reproduction(
        table,
        root_dir=Path(arguments.root_dir),
        results=Path(arguments.results),
        params=arguments.gin_param,
    )
    outcome = Outcome(None, [])
    if not arguments.report_only:
        outcome = reproduction.train(runs, engine=arguments.engine, limit=arguments.jobs)
    print(reproduction.write())
    reproduction.draw()
    for job in outcome.failed():
        print(f"{job.run} failed: {job.error}; see {job.log}", file=sys.stderr)
    if outcome.signal is not None:
        print(f"stopped by {outcome.signal.name}; the same command goes on", file=sys.stderr)
    last = {
        "table": table.name,
        "runs": len(runs),
        "done": len(runs) - len(reproduction.not_done(runs)),
        "failed": [str(job.run) for job in outcome.failed()],
        "json": str(reproduction.json),
        "markdown": str(reproduction.markdown),
    }
    print(json.dumps(last))
    if outcome.signal is not None:
        return 128 + outcome.signal
    return 1 if outcome.failed() else 0


def _beams(arguments: argparse.Namespace) -> int:
    """Shows what trained runs make of the paper's example."""
    from lang2program_tf.reproduction.beams import write_beams

    text, path = write_beams(
        reading=arguments.reading,
        seeds=arguments.seeds or [0],
        root_dir=Path(arguments.root_dir),
        results=Path(arguments.results),
    )
    print(text)
    print(json.dumps({"table": BEAMS, "markdown": str(path)}))
    return 0


def _seed(text: str) -> int:
    return _whole(text, least=0)


def _count(text: str) -> int:
    return _whole(text, least=1)


def _whole(text: str, *, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, {least} or more")
    return int(text)
