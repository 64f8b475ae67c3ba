"""Check the functions and regular expressions of a question with Spark's analyzer, before any job."""

from __future__ import annotations

from sparkwhy.errors import PatternError, abbreviate
from sparkwhy.question.bind import Question
from sparkwhy.question.bound import functions_of
from sparkwhy.question.pattern import function_name, show_pattern, text_tests
from sparkwhy.spark.engine import Engine


def check_question(engine: Engine, question: Question) -> None:
    """Raise `PatternError` for a text that is no regular expression."""
    for test in text_tests(question.pattern):
        problem = engine.regex_problem(test.text) if test.function == "rlike" else None
        if problem is not None:
            hint = "matches() takes an expression of Java; contains() takes any text."
            raise PatternError(f"{abbreviate(show_pattern(test))} is not a regular expression: {problem}.", hint=hint)


def random_functions(engine: Engine, question: Question) -> tuple[str, ...]:
    """Return the names of the user's functions that give other values at each run.

    Raise `PatternError` for a function that makes no condition.
    """
    functions = [(each.function, function_name(each.function), type) for each, type in functions_of(question)]
    return tuple(name for function, name, type in functions if engine.is_random_function(function, name, type))
