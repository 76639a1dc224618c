"""Tables of Krajewski et al. 2025 (arXiv 2512.08894), without the laws of Tables 11 and 12, which are
published laws: krajewski2025.toml has the tables, runs.csv every run of Tables 7, 8 and 9 (Appendix G).

Every digit was compared with the text of the paper. Of the 150 listed runs 148 are different. The ratio
of tokens to params is nominal, and params are rounded to 0.01B: use N = flops/(6 tokens) where precision
matters.
"""

from __future__ import annotations

import csv
import tomllib

from . import text_of


def _table(name: str) -> dict[str, tuple[str, ...]]:
    return {benchmark: tuple(row) for benchmark, row in _TABLES[name].items()}


_TABLES = tomllib.loads(text_of("krajewski2025.toml"))
_RUNS = [row[1:] for row in csv.reader(text_of("runs.csv").splitlines())]

TABLE_1, TABLE_2, TABLE_3_AVERAGE, TABLE_14 = (
    tuple(_TABLES[name]) for name in ("table_1", "table_2", "table_3_average", "table_14")
)
#: A row of Table 13 holds exp(coefficient of log C), that of log k, that of log C log k, and log A: the
#: regressors with the constant last, the first exponentiated as in Table 11. An inference.
TABLE_3, TABLE_4, TABLE_4_TRAIN, TABLE_10, TABLE_13, TABLE_15 = map(
    _table, ("table_3", "table_4", "table_4_train", "table_10", "table_13", "table_15")
)
TABLE_16: dict[str, str] = _TABLES["table_16"]

#: The columns of the runs by the names of the paper, "hidden dim" as one word, and the runs in the
#: order of the three tables.
COLUMNS, *RUNS = map(tuple, _RUNS)

#: The two mixtures: 75 % DCLM, 15 % Stack v2, 10 % OpenMathReasoning; C4 alone. A run that names
#: both stands for two trainings.
MIXTURE, C4 = "DCLM+code+math", "C4"
