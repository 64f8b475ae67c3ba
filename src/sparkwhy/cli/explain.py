"""`sparkwhy explain`: a question about a DataFrame that a script builds, or about a SQL query."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pyspark.sql import DataFrame

from sparkwhy.alternatives.declared import Alternative, Declared
from sparkwhy.api import why_not
from sparkwhy.cli.failures import UsageError
from sparkwhy.cli.output import add_output_options, check_output, print_answer, progress_of
from sparkwhy.cli.quiet import session
from sparkwhy.cli.sources import load_dataframe, run_sql, sql_file, target_of
from sparkwhy.errors import MalformedPattern
from sparkwhy.question.json_form import from_json
from sparkwhy.question.pattern import Fields
from sparkwhy.report.located import name_file

_EPILOG = """\
examples:
  sparkwhy explain etl.py:cities --missing '{"city": "NY"}'
  sparkwhy explain jobs.daily:build --missing '{"city": "NY", "names": ["?", "*"]}' --alternatives auto
  sparkwhy explain etl.py:cities --missing '{"revenue": "> 0"}' --alternatives '[["tax", "discount"]]' --html why.html
  sparkwhy explain --sql report.sql --table orders=orders.parquet --table people=people.csv --missing '{"id": 7}'

In a pattern "?" is any value, "*" in a list any further elements, "> 0" a comparison, {"$contains": "x"} a predicate
($eq $ne $gt $ge $lt $le $between $in $null $contains $startswith $like $matches). Fields that are not named may be
anything.

exit codes: 0 explained, or the row is there; 2 usage; 3 unexplained; 4 no source has such a row; 5 no answer
"""


def register(commands: Any) -> None:
    parser = commands.add_parser(
        "explain",
        help="ask why a row is missing from a DataFrame or a SQL query",
        description="Why is there no row like that? Tells which operators keep it out, and how to change them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    query = parser.add_argument_group("query")
    query.add_argument(
        "target",
        nargs="?",
        metavar="SCRIPT_OR_MODULE:NAME",
        help="a DataFrame, or a function that returns one and takes nothing or the SparkSession",
    )
    query.add_argument("--sql", metavar="FILE_OR_TEXT", help="a SQL query instead")
    query.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="a table that the SQL query reads: .parquet .json .csv (with header) .orc; may be repeated",
    )
    _add_question(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_question(parser: argparse.ArgumentParser) -> None:
    question = parser.add_argument_group("question")
    question.add_argument("--missing", required=True, metavar="JSON", help="the row that is missing")
    question.add_argument(
        "--alternatives",
        metavar="JSON|auto",
        help='groups of attributes that may be mixed up, [["tax", "discount"]]; {"tax": "discount"} replaces only',
    )
    question.add_argument("--mode", choices=("swap", "each"), default="swap", help="how a group is read (%(default)s)")
    question.add_argument(
        "--side-effects",
        choices=("none", "bounds", "exact"),
        default="bounds",
        help="what is counted of the other rows that a fix changes (%(default)s)",
    )
    question.add_argument("--no-verify", action="store_true", help="propose and run no fixes")
    question.add_argument("--timeout", metavar="SECONDS", help="give up after this number of seconds")
    question.add_argument(
        "--redact",
        nargs="?",
        const="",
        metavar="COLUMN,COLUMN",
        help="hide values of the data: those of the columns, or all",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read all that was given before anything is started."""
    missing = _pattern(arguments.missing)
    alternatives = _alternatives(arguments.alternatives)
    timeout, redact = _seconds(arguments.timeout), _parse_redact(arguments.redact)
    check_output(arguments)
    answer = why_not(
        _query(arguments),
        missing,  # type: ignore[arg-type]  # a pattern is what a mapping becomes
        alternatives=alternatives,
        mode=arguments.mode,
        verify=not arguments.no_verify,
        side_effects=arguments.side_effects,
        progress=progress_of(arguments),
        timeout=timeout,
        redact=redact,
    )
    file = sql_file(arguments.sql)
    return print_answer(answer if file is None else name_file(answer, file), arguments)


def _query(arguments: argparse.Namespace) -> DataFrame:
    if (arguments.target is None) == (arguments.sql is None):
        raise UsageError("what is the query?", hint="give SCRIPT_OR_MODULE:NAME or --sql, one of them.")
    if arguments.sql is not None:
        return run_sql(arguments.sql, arguments.table, session)
    if arguments.table:
        raise UsageError("--table goes with --sql.")
    return load_dataframe(target_of(arguments.target), session)


def _pattern(text: str) -> Fields:
    try:
        return from_json(text)
    except MalformedPattern as error:
        raise UsageError(error.message, hint=error.hint) from error


def _alternatives(text: str | None) -> Any:
    if text is None or text == "auto":
        return text
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--alternatives is not JSON: {error}.", hint=_ALTERNATIVES) from error
    return _parse_groups(given)


def _parse_groups(given: Any) -> Declared:
    if not isinstance(given, list) or not all(isinstance(each, list | dict) and _has_only_text(each) for each in given):
        raise UsageError("--alternatives is a list of groups.", hint=_ALTERNATIVES)
    return [Alternative(each) if isinstance(each, dict) else tuple(each) for each in given]


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"--timeout is a number of seconds, not {text}.", hint="write --timeout 60.")
    return seconds


def _parse_redact(text: str | None) -> bool | list[str]:
    """Return what to hide: nothing, all values, or those of some columns."""
    if text is None:
        return False
    return [name.strip() for name in text.split(",")] if text else True


def _has_only_text(group: list[Any] | dict[str, Any]) -> bool:
    return all(isinstance(each, str) for each in (group.values() if isinstance(group, dict) else group))


_ALTERNATIVES = 'write \'[["address1", "address2"]]\', \'[{"tax": "discount"}]\', or auto.'
