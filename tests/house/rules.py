"""What the rules of the house allow and forbid, each exception with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping

SAME_NAME: Mapping[str, re.Pattern[str]] = {
    "query": re.compile(r"scenarios/"),  # a scenario is a module with one query
    "elsewhere": re.compile(r"scenarios/"),  # and its question, asked of data
    "table": re.compile(r"scenarios/data/"),  # a dataset is a module that makes tables
    "propose": re.compile(r"fix/proposals/"),  # a proposer is a module with one function
    "register": re.compile(r"cli/"),  # a command is a module with these two
    "run": re.compile(r"cli/|memory/interpreter|spark/classic/run/operators"),  # and each engine runs plans
}
"""Names that several modules may define, because the modules are of one kind."""

NOT_VERBS = frozenset({
    "about", "above", "after", "against", "all", "along", "also", "alone", "among", "apart", "around", "at",
    "before", "behind", "below", "beneath", "beside", "besides", "between", "beyond", "both", "by", "during",
    "each", "either", "else", "elsewhere", "even", "for", "here", "how", "in", "inside", "instead", "into", "maybe",
    "near", "never", "nothing", "of", "off", "often", "on", "once", "only", "onto", "or", "out", "outside", "over",
    "since", "so", "some", "than", "then", "there", "through", "together", "too", "toward", "under", "unless",
    "until", "up", "upon", "via", "what", "when", "where", "which", "while", "who", "why", "within", "without",
    "yet", "born", "broken", "built", "chosen", "done", "drawn", "driven", "fallen", "felt", "found", "given",
    "gone", "grown", "held", "hidden", "kept", "known", "laid", "led", "left", "lent", "made", "meant", "met",
    "paid", "said", "seen", "sent", "shown", "sold", "spent", "stood", "struck", "taken", "taught", "told",
    "thought", "thrown", "torn", "understood", "won", "worn", "written",
})  # fmt: skip
"""First words that are participles or prepositions; words in -ed are found by their ending."""

EXCEPTIONS = frozenset({
    "all_of",  # builds the conjunction of conditions, as `any` and `all` of Python do
    "between",  # a predicate of the public interface, named as in Spark
    "each",  # SQL and Python have it
    "either",  # builds an expression: `value` where the condition is true, else `otherwise`
    "elsewhere",  # of the scenarios: the question for data
    "never_fails",  # a predicate
    "of",  # a classmethod that constructs
    "unless", "unless_expr", "unless_of",  # a mark of traced rows: the sets of operators that take a row away
    "why_not",  # the question itself
    "why_not_joined",  # a baseline of the paper
    "verified",  # an adjective, as in the public `Explanation.verified`
    "embed", "exceed", "speed",
})  # fmt: skip

NOT_IMPERATIVE = frozenset({
    "The", "A", "An", "What", "Whether", "How", "Which", "Why", "Where", "When", "One", "All", "Each", "Every", "Some",
    "Those", "This", "Both", "As", "Of", "By", "For", "From", "In", "With", "At", "If", "So", "Only", "No", "Nothing",
    "None", "That", "Two",
})  # fmt: skip
"""First words of docstrings that name the result, or say nothing about what the function does."""

PARSING = frozenset({"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"})
"""Methods that take text apart."""

PARSING_ALLOWED: Mapping[str, str] = {
    "fix: _as_pattern": "escapes a value for LIKE",
    "fix: _edit_line": "a column's name in a line of the user",
    "fix: _other_column": "the last part of a path that the user wrote",
    "fix: _says": "a token of the user's source",
    "fix: _with_one_token": "a string in a line of the user",
    "fix: edit_sql": "a condition that the user wrote as text",
    "fix: _stands": "what is before a condition in the user's source",
    "report: _wrap": "a box of the drawing does not repeat its title; no meaning is read",
    "report: element": "the name of an attribute in HTML",
}
"""Places where text is taken apart that we did not print, each with the reason."""

BANNED_WORDS = (
    "told",
    "said",
    "met",
    "nobody asked",
    "nobody",
    "so many",
    "of much data",
    "much data",
    "is no row",
    "says of",
    "speaks of",
    "what it bears",
)
"""Words without a subject or a number behind them: use the name of the thing, and its unit."""

KNOW_OPERATORS = ("plan/", "rewrite/", "spark/", "trace/rules/", "trace/evaluation/")
"""Where operators may be listed: facts about them, rules for each of them, and their translation to Spark."""

EXAMPLE_FILES = frozenset({"trace/rules/offset.py", "fix/proposals/smaller_offset.py"})
"""Files that pages name as examples of what a reader would write."""
