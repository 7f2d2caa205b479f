"""What measures over a search log add to the default measure: `python -m reproduce.logs` writes LOGS.md.

The log is simulated (`reproduce/simulated_log.py`). Pairs of uqv100 are scored whose queries are both not in the log. The first run scores
the set by `hybrid`, which takes some minutes.
"""

from collections.abc import Sequence
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation.significance import compare_auc
from querykin.io.tables import as_text, read_table
from querykin.measures.batch_scorer import BatchScorer
from querykin.querylog.counted_queries import query_key
from querykin.settings import Settings
from querykin.settings_sections import TextSettings
from querykin.text.normalization import normalize_query
from reproduce import data, simulated_log
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet, auc, read_set
from reproduce.learned import RECIPES, combined_scores
from reproduce.markdown import interval, number, table
from reproduce.simulated_log import Needs, clickable, simulate, split_needs

OUT = data.ROOT / "reproduce" / "LOGS.md"
LOG_MEASURES = ("co-click", "co-session", "reformulation")
SHARES = (0.01, 0.1, 1.0)
ENGLISH = Settings(text=TextSettings(language="en"))
Scores = dict[str, Float64Array]


def report(workspace: Workspace) -> str:
    """The page."""
    whole, needs = read_set("uqv100"), split_needs()
    default = scores_by(workspace, [DEFAULT_MEASURE], whole)[DEFAULT_MEASURE]
    unseen = _unseen(whole, needs)
    judged, default = whole.part(unseen), default[unseen]
    sets = _sets(needs, unseen)
    pages = clickable(workspace, needs)
    rows: dict[str, list[list[str]]] = {name: [] for name in sets}
    for share in SHARES:
        logged, seen = _log_scores(judged, needs, pages, share)
        scores = {DEFAULT_MEASURE: default, **logged}
        for names in (*([name] for name in LOG_MEASURES), list(LOG_MEASURES)):
            baseline, with_log = _combined(judged, scores, []), _combined(judged, scores, names)
            for name, mask in sets.items():
                alone = {each: logged[each][mask] for each in names}
                cells = _cells(judged.part(mask), baseline[mask], with_log[mask], alone)
                rows[name].append([f"{share:.0%}", f"{seen:,}", *cells])
                print(name, *rows[name][-1], flush=True)
    header = ["log", "queries shown", "measure", "covered", "AUC alone", "AUC without → with it", "gain"]
    parts = [f"## {name}\n\n{table(header, found)}" for name, found in rows.items()]
    return "\n\n".join([_HEAD.format(**_facts(needs, sets)), *parts, _READ]) + "\n"


def _sets(needs: Needs, unseen: BoolArray) -> dict[str, BoolArray]:
    """Pairs by whether the needs of both queries are in the log."""
    rows = read_table(str(data.labelled_file("uqv100")), ["group1", "group2"]).rows
    both = np.array(
        [[as_text(row[name]) not in needs.others for name in ("group1", "group2")] for row in rows]
    )
    first, second = both[unseen].T
    return {
        "Both needs are in the log": first & second,
        "Neither is": ~first & ~second,
        "All pairs": np.ones(len(first), np.bool_),
    }


def _unseen(judged: JudgedSet, needs: Needs) -> BoolArray:
    """Which pairs have no query of the log."""
    known = {_key(query) for queries in needs.logged.values() for query in queries}
    pairs = zip(judged.left, judged.right, strict=True)
    return np.array([_key(a) not in known and _key(b) not in known for a, b in pairs])


def _key(query: str) -> int:
    return query_key(normalize_query(query))


def _log_scores(
    judged: JudgedSet, needs: Needs, pages: dict[str, tuple[list[str], Float64Array]], share: float
) -> tuple[Scores, int]:
    """The scores of all pairs by the measures over a share of the log, and the number of its queries that may be shown."""
    with TemporaryDirectory() as folder:
        workspace = Workspace.open(folder, ENGLISH)
        workspace.add_log(simulate(needs, pages, share))
        measures = {name: workspace.measure(name) for name in LOG_MEASURES}
        return BatchScorer(measures).score(judged.left, judged.right), len(workspace.repository)


def _combined(judged: JudgedSet, scores: Scores, names: Sequence[str]) -> Float64Array:
    """The default measure combined with others, each pair by a model trained without its need."""
    return combined_scores(judged, scores, [DEFAULT_MEASURE, *names], RECIPES["preference"])


def _cells(judged: JudgedSet, baseline: Float64Array, with_log: Float64Array, alone: Scores) -> list[str]:
    covered = ~np.isnan(np.array([*alone.values()])).all(axis=0)
    single = [auc(judged.labels, found) for found in alone.values()] if len(alone) == 1 else [np.nan]
    gain = compare_auc(with_log, baseline, judged.judged.grades, judged.judged.groups.ids, judged.relevant)
    return [
        ", ".join(alone) if len(alone) == 1 else "all three",
        f"{covered.mean():.0%}",
        number(single[0]),
        f"{number(auc(judged.labels, baseline))} → {number(auc(judged.labels, with_log))}",
        interval(gain),
    ]


def _facts(needs: Needs, sets: dict[str, BoolArray]) -> dict[str, object]:
    sizes = [f"{int(mask.sum()):,}" for mask in sets.values()]
    return {
        **{name.lower(): value for name, value in vars(simulated_log).items() if name.isupper()},
        "needs": len(needs.logged),
        "all_needs": len(needs.logged) + len(needs.others),
        "variations": sum(map(len, needs.logged.values())),
        "sessions_of_all": simulated_log.SESSIONS * len(needs.logged),
        **dict(zip(("in_log", "outside", "in_all"), sizes, strict=True)),
    }


_HEAD = """# What a search log adds

Written by `python -m reproduce.logs`. **The log is simulated**: there is no log of real people in the data. It is made from {needs} of the {all_needs} needs of
uqv100, with half of the variations of each ({variations:,} queries), drawn as often as workers typed them. A session begins with a need and asks one
variation after another, each time going on with probability {more_queries}; with probability {other_need} a query is about another need. After a query, with
probability {clicked}, one of its {results} best documents in the corpus is clicked, in proportion to 1 / rank and to the number of variations of the need that
find it: people know what they need. With probability {other_page} the click is on a result of another need. The whole log has {sessions_of_all:,} sessions; 10 % and
1 % of it have fewer sessions of the same kind. `min_sessions` is 3: queries of fewer sessions, and pages that fewer clicked, do not count.

Judged are pairs of uqv100 **whose queries are both not in the log**: {in_log} pairs of needs that are both in the log in other words, {outside} pairs of needs that are not, where
nothing can be gained, and {in_all} pairs with those of which one is. `hybrid`, the default, is combined with each measure over the log by preference learning on all of them, with the usual
features of the texts; all scores are from ten-fold cross-validation over needs, also those of `hybrid` without the log. Brackets hold 95 % bootstrap intervals, paired, over needs. All
parameters of the measures are their defaults, which were not fitted to any data."""
_READ = """## Reading

The default leaves little to gain on this set. Still, where the log knows both needs, each measure over clicks or sessions removes a part of what is left, `co-session` and `co-click` already at 1 % of
the log, where 46 queries may be shown. With the whole log about half of the errors are gone. `reformulation` adds least: its order
of queries says little about variations of one need, which are asked in any order here. All three together are not better than the best one. Where the log knows neither need, the combination
is worse by up to .001: it has learned to trust measures that are absent there. Over all pairs, of which such a log covers an eighth, both effects cancel. These are figures of a simulation in which people ask and click as described above; a real log has other noise, and what it
adds is to be measured with `querykin evaluate` on judged pairs of that site."""

if __name__ == "__main__":
    if message := data.missing():
        print(message)
    else:
        OUT.write_text(report(data.workspace()), "utf-8")
        print(OUT.read_text("utf-8"))
