"""The 25 scenarios of the paper, by name and in its order, and Q13 once more on nested customers."""

from __future__ import annotations

from collections.abc import Mapping

from sparkwhy.scenarios.c1 import C1
from sparkwhy.scenarios.c2 import C2
from sparkwhy.scenarios.c3 import C3
from sparkwhy.scenarios.d1 import D1
from sparkwhy.scenarios.d2 import D2
from sparkwhy.scenarios.d3 import D3
from sparkwhy.scenarios.d4 import D4
from sparkwhy.scenarios.d5 import D5
from sparkwhy.scenarios.q1 import Q1
from sparkwhy.scenarios.q1f import Q1F
from sparkwhy.scenarios.q3 import Q3
from sparkwhy.scenarios.q3f import Q3F
from sparkwhy.scenarios.q4 import Q4
from sparkwhy.scenarios.q4f import Q4F
from sparkwhy.scenarios.q6 import Q6
from sparkwhy.scenarios.q6f import Q6F
from sparkwhy.scenarios.q10 import Q10
from sparkwhy.scenarios.q10f import Q10F
from sparkwhy.scenarios.q13 import Q13
from sparkwhy.scenarios.q13f import Q13F
from sparkwhy.scenarios.q13n import Q13N
from sparkwhy.scenarios.scenario import Scenario
from sparkwhy.scenarios.t1 import T1
from sparkwhy.scenarios.t2 import T2
from sparkwhy.scenarios.t3 import T3
from sparkwhy.scenarios.t4 import T4
from sparkwhy.scenarios.t_asd import T_ASD

SCENARIOS: Mapping[str, Scenario] = {
    each.name: each
    for each in (
        D1,
        D2,
        D3,
        D4,
        D5,
        T1,
        T2,
        T3,
        T4,
        T_ASD,
        Q1,
        Q3,
        Q4,
        Q6,
        Q10,
        Q13,
        Q1F,
        Q3F,
        Q4F,
        Q6F,
        Q10F,
        Q13F,
        Q13N,
        C1,
        C2,
        C3,
    )
}

__all__ = ["SCENARIOS", "Scenario"]
