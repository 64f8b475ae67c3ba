"""The algebra: a query as an immutable tree of operators over nested bags of rows.

Nothing in here knows Spark. `types` and `exprs` say what values and expressions are, `nodes` what operators are,
`walk` is the only module that moves over them, `show` prints them.
"""
