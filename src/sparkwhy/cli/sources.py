"""DataFrames from the command line: what a script or a function builds, or what a SQL query says."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pyspark.cloudpickle import register_pickle_by_value
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparkwhy.cli.failures import CannotStart, UsageError

Session = Callable[[], SparkSession]
"""Makes the session when it is needed: the user's code may make one first."""

FORMATS = {
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".orc": "orc",
}


class Target(NamedTuple):
    """What to ask about: a file or a module, and a name in it."""

    code: str
    name: str

    @property
    def is_file(self) -> bool:
        return self.code.endswith(".py") or "/" in self.code


# --- code ---


def target_of(text: str) -> Target:
    """`etl.py:cities` or `pkg.mod:cities`."""
    code, colon, name = text.rpartition(":")
    if not colon or not code or not name.isidentifier():
        raise UsageError(f"`{text}` does not name a DataFrame.", hint="write etl.py:NAME or package.module:NAME.")
    return Target(code, name)


def load_dataframe(target: Target, session: Session) -> DataFrame:
    """Return the DataFrame that the name stands for, or that it returns when called."""
    module = _load_module(target)
    if not hasattr(module, target.name):
        near = get_close_matches(target.name, vars(module)) or _dataframes(module) or _functions(module)
        raise UsageError(
            f"there is no {target.name} in {target.code}.",
            hint=f"did you mean {' or '.join(near)}?" if near else "a name inside of a function cannot be seen.",
        )
    found = getattr(module, target.name)
    made = _call_function(found, target, module, session) if inspect.isroutine(found) else found
    if not isinstance(made, DataFrame):
        raise UsageError(
            f"{target.name} in {target.code} is not a DataFrame but a {type(made).__name__}.",
            hint="name a DataFrame, or a function that returns one and takes nothing or the SparkSession.",
        )
    return made


def _load_module(target: Target) -> ModuleType:
    if target.is_file:
        return _run_file(target.code)
    sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
    try:
        return importlib.import_module(target.code)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{target.code}.".startswith(f"{error.name}."):
            raise CannotStart(error, None) from error
        raise UsageError(f"there is no module {target.code}.", hint="a file is written with its .py.") from error
    except (Exception, SystemExit) as error:
        raise CannotStart(error, None) from error


def _run_file(file: str) -> ModuleType:
    """Return the module that a file is, without what stands under `if __name__ == "__main__"`."""
    path = Path(file).resolve()
    if not os.path.isfile(path):  # unlike `Path.is_file` it bears names that are too long
        raise UsageError(f"there is no file {file}.")
    spec = importlib.util.spec_from_file_location(f"_sparkwhy_script_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file.")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # for the workers, which cannot import it
    sys.path.insert(0, str(path.parent))  # as `python etl.py` does
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise CannotStart(error, str(path)) from error
    return module


def _dataframes(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if isinstance(value, DataFrame)][:3]


def _functions(module: ModuleType) -> list[str]:
    """Return some that are written there, not imported: one of them may return the DataFrame."""
    own = (name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__)
    return [name for name in own if inspect.isfunction(getattr(module, name)) and not name.startswith("_")][:3]


def _call_function(function: Callable[..., Any], target: Target, module: ModuleType, session: Session) -> Any:
    needed = _required_parameters(function)
    if len(needed) > 1:
        raise UsageError(
            f"{target.name} in {target.code} takes {len(needed)} arguments.",
            hint="name a function that takes nothing or the SparkSession.",
        )
    try:
        return function(*(session() for _ in needed))
    except (Exception, SystemExit) as error:
        raise CannotStart(error, getattr(module, "__file__", None)) from error


def _required_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the arguments that a function wants; some that are written in C do not say."""
    try:
        return [p for p in inspect.signature(function).parameters.values() if _is_required(p)]
    except ValueError:
        return []


def _is_required(parameter: inspect.Parameter) -> bool:
    some = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and parameter.kind not in some


# --- SQL ---


def run_sql(given: str, tables: Sequence[str], session: Session) -> DataFrame:
    """Return the query over the tables, each of which becomes a view."""
    text = _sql_text(given)
    named = [_table(each) for each in tables]
    spark = session()
    for name, path, kind in named:
        reader = spark.read.options(header=True, inferSchema=True) if kind == "csv" else spark.read
        reader.format(kind).load(str(path.absolute())).createOrReplaceTempView(name)
    try:
        return spark.sql(text)
    except PySparkException as error:
        raise CannotStart(error, None) from error


def sql_file(given: str | None) -> Path | None:
    """Return the file that the SQL is in, if it is not given as text: one word is no query."""
    if given is None or (len(given.split()) > 1 and not os.path.isfile(given)):
        return None
    return Path(given)


def _sql_text(given: str) -> str:
    if sql_file(given) is None:
        return given
    if not os.path.isfile(given):
        raise UsageError(f"there is no file {given}.", hint="--sql takes a file, or the text of a query.")
    try:
        return Path(given).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {given}: {error}.", hint="--sql takes a file of UTF-8 text.") from error


def _table(text: str) -> tuple[str, Path, str]:
    name, _, place = text.partition("=")
    if not name.isidentifier() or not place:
        raise UsageError(f"--table needs a name and a path, not `{text}`.", hint="write --table orders=orders.parquet.")
    path = Path(place)
    if not os.path.exists(path):
        raise UsageError(f"there is no file {place}.")
    return name, path, _format(path)


def _format(path: Path) -> str:
    """Return the format by the suffix; of a folder without one, by that of the first file in it with a known suffix."""
    inside = sorted(each.suffix for each in path.iterdir()) if path.is_dir() else []
    for suffix in (path.suffix, *inside):
        if suffix.lower() in FORMATS:
            return FORMATS[suffix.lower()]
    raise UsageError(f"the format of {path} is unknown.", hint=f"the suffix names the format: {' '.join(FORMATS)}.")
