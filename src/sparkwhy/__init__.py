"""Why is that row not in my DataFrame?"""

from sparkwhy.alternatives.declared import Alternative
from sparkwhy.api import why_not
from sparkwhy.errors import SparkWhyError
from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.limits import Limits
from sparkwhy.question.pattern import (
    ANY,
    between,
    contains,
    eq,
    ge,
    gt,
    is_null,
    le,
    like,
    lt,
    matches,
    ne,
    not_null,
    one_of,
    startswith,
)
from sparkwhy.report.answer import Answer
from sparkwhy.trace.witness import Witness

__all__ = [
    "ANY",
    "Alternative",
    "Answer",
    "Explanation",
    "Limits",
    "Operator",
    "SparkWhyError",
    "Witness",
    "between",
    "contains",
    "eq",
    "ge",
    "gt",
    "is_null",
    "le",
    "like",
    "lt",
    "matches",
    "ne",
    "not_null",
    "one_of",
    "startswith",
    "why_not",
]
