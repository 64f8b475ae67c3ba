"""The paper's three groups of interchangeable attributes of TPC-H, as flat columns or within the orders."""

from __future__ import annotations

NESTED = "o_lineitems."


def discount_or_tax(prefix: str = "") -> frozenset[str]:
    return frozenset({f"{prefix}l_discount", f"{prefix}l_tax"})


def dates(prefix: str = "") -> frozenset[str]:
    return frozenset({f"{prefix}l_shipdate", f"{prefix}l_commitdate", f"{prefix}l_receiptdate"})


PRIORITIES = frozenset({"o_orderpriority", "o_shippriority"})
