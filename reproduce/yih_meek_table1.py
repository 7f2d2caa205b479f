"""Table 1 of Yih & Meek (2007), the agreement of raters: `python -m reproduce.yih_meek_table1`.

Also the confusion matrix of Alfonseca et al. (2009), table 2.
"""

import numpy as np

from querykin.evaluation.agreement import kappa, kappas
from querykin.evaluation.inter_rater import rater_agreement
from reproduce import data
from reproduce.chorus import rated_products
from reproduce.markdown import number, table

# By our names: Pa, Pe and kappa as published.
PRINTED = {
    "grades": (0.598, 0.397, 0.338),
    "relevant or not": (0.844, 0.723, 0.435),
    "better, equal, worse": (0.647, 0.414, 0.399),
    "better or equal, worse": (0.827, 0.673, 0.473),
    "better, equal or worse": (0.799, 0.645, 0.432),
}
ALFONSECA = np.array(
    [
        [280, 95, 14, 1, 0],
        [108, 86, 65, 4, 0],
        [11, 47, 83, 16, 0],
        [1, 2, 17, 45, 2],
        [0, 0, 1, 1, 2],
    ]
)


def report() -> str:
    """The published figures, kappa recomputed from them, and three raters of our data."""
    found = rater_agreement(rated_products(), relevant=2)
    means = found.means()
    rows = [
        [
            name,
            *map(number, printed),
            number(kappa(*printed[:2])),
            *map(number, (means[name].observed, means[name].expected, means[name].pooled)),
        ]
        for name, printed in PRINTED.items()
    ]
    header = [
        "agreement on",
        "Pa paper",
        "Pe paper",
        "kappa paper",
        "kappa of these",
        "Pa ours",
        "Pe ours",
        "kappa ours",
    ]
    return "\n\n".join(
        [
            f"Ours: {len(found.raters)} raters of {found.pairs:,} pairs of query and product (chorus, grades 0 to 3), means over every two of them.",
            table(header, rows),
            "### Table 2 of Alfonseca et al. (2009)",
            _alfonseca(),
        ]
    )


def _alfonseca() -> str:
    halves = np.add.reduceat(np.add.reduceat(ALFONSECA, [0, 2]), [0, 2], axis=1)
    whole, binary = kappas(ALFONSECA, np.arange(5.0)), kappas(halves, np.arange(2.0))
    rows = [
        ["quadratic, grades 0 to 4", ".7111", number(whole.quadratic, 4)],
        ["two classes, from 2 on positive", ".6171", number(binary.simple, 4)],
    ]
    return table(["kappa", "paper", "from its confusion matrix"], rows)


if __name__ == "__main__":
    print(data.missing() or report())
