"""The subcommand `verify`: checks a served answer that stands in a JSON file."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, List, Mapping, Optional, Tuple

from lang2program_tf.language.domain import Domain
from lang2program_tf.language.domains import DOMAINS, get_domain
from lang2program_tf.language.verify import (
    AnswerError,
    Request,
    answer_rows,
    request_rows,
    verify,
)

_WRONG = 1

EXAMPLE = """The answer is what `:predict` of a server gives over HTTP, or what
`lang2program parse --json` prints. A server's answer does not repeat what was asked, so say it with
--world or --request.

example:
  curl -s -d @request.json http://localhost:8501/v1/models/scene:predict > answer.json
  python executor.pyz verify --domain scene --request request.json answer.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of the subcommand."""
    parser.add_argument("file", metavar="ANSWER", help="a JSON file; - for standard input")
    parser.add_argument("--domain", help=f"one of: {', '.join(DOMAINS)}; default: the answer's own")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--world", help="the world of the request, if it had one row")
    asked.add_argument("--request", metavar="FILE", help="the request as JSON")


def answer_verify(arguments: argparse.Namespace) -> Tuple[str, int]:
    """What to print, and the exit code: 1 if a program does not lead to its world."""
    answer = _read_json(arguments.file)
    rows = answer_rows(answer)
    domain = _domain(arguments.domain, rows)
    requests = _requests(arguments, rows)
    if len(requests) != len(rows):
        raise AnswerError(f"the request has {len(requests)} rows and the answer {len(rows)}")
    lines: List[str] = []
    code = 0
    for number, (request, row) in enumerate(zip(requests, rows), start=1):
        verdict = verify(domain, request, row)
        code = _WRONG if verdict.problems else code
        lines += [f"row {number}: {problem}" for problem in verdict.problems]
        if not verdict.problems:
            lines.append(f"row {number}: {_praise(verdict.num_programs, row)}")
    return "\n".join(lines), code


def _praise(num_programs: int, row: Mapping[str, Any]) -> str:
    if not num_programs:
        return f"no program ({row.get('error') or 'and no error'})"
    return (
        "1 program leads to its world"
        if num_programs == 1
        else (f"{num_programs} programs lead to their worlds")
    )


def _domain(name: Optional[str], rows: List[Mapping[str, Any]]) -> Domain:
    names = {name} if name else {row.get("domain") for row in rows}
    if len(names) != 1 or None in names:
        raise AnswerError("the answer does not name its domain; say it with --domain")
    return get_domain(str(names.pop()))


def _requests(arguments: argparse.Namespace, rows: List[Mapping[str, Any]]) -> List[Request]:
    if arguments.request:
        return request_rows(_read_json(arguments.request))
    if arguments.world is not None:
        return [Request(arguments.world)]
    if not all("request" in row for row in rows):
        raise AnswerError("the answer does not repeat the request; give --world or --request")
    return [request for row in rows for request in request_rows(row["request"])]


def _read_json(path: str) -> Any:
    try:
        if path == "-":
            return json.load(sys.stdin)
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise AnswerError(f"cannot read {path} ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"{path} is not JSON: {error}") from None
