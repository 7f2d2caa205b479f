"""The tables of ENGINES.md: coverage, and what each step from one engine to the other changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from querykin import __version__
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.evaluation.significance import Interval, compare_auc
from reproduce.judged_sets import JudgedSet, auc
from reproduce.markdown import interval, number, table


class Step(StrEnum):
    """The engines that are compared, from the embedded one to MediaWiki; each changes one thing of the one before."""

    EMBEDDED = "embedded (BM25), windows of 1,000 characters"
    WINDOWS = "windows of {snippet} characters"
    STRICT = "only documents with all words of the text"
    RELAXED = "where there are none, with all of its longest words"
    DOCUMENTS = "of these the pages that MediaWiki returns, ranked by BM25"
    ORDER = "in MediaWiki's order, all with the same score"
    SNIPPETS = "MediaWiki's snippets in place of windows: MediaWiki"
    FREQUENCIES = "frequencies of the snippets, without any corpus"


CAUSES = tuple(step for step in Step if step is not Step.STRICT)  # it covers too few pairs to be compared


@dataclass(frozen=True)
class Study:
    """The scores of a set under each step, and the shares of its texts with results and of those covered."""

    judged: JudgedSet
    scores: dict[Step, Float64Array]
    texts: dict[Step, tuple[float, float]]
    replay_is_equal: bool
    tantivy_is_equal: bool
    known: float  # the share of the pages found that were matched with documents, by their titles

    def covered(self, step: Step) -> BoolArray:
        """The pairs that have a score."""
        return np.isfinite(self.scores[step])

    @cached_property
    def common(self) -> BoolArray:
        """The pairs that have a score under all steps that are compared."""
        rows: BoolArray = np.logical_and.reduce([self.covered(step) for step in CAUSES])
        return rows

    def difference(self, step: Step, before: Step, rows: BoolArray) -> Interval:
        """The change of the AUC over some pairs; those without a score are last."""
        judged = self.judged.judged
        now, then = (np.nan_to_num(self.scores[each][rows], nan=-1.0) for each in (step, before))
        return compare_auc(now, then, judged.grades[rows], judged.groups.ids[rows], self.judged.relevant)

    @cached_property
    def hidden(self) -> Float64Array:
        """The scores of the embedded engine, without those of the pairs that MediaWiki does not cover."""
        return np.where(self.covered(Step.SNIPPETS), self.scores[Step.EMBEDDED], np.nan)


def markdown(studies: Sequence[Study], documents: int, measure: str, snippet: int) -> str:
    """The page."""
    pairs = ", ".join(f"{len(each.judged.judged):,} of {each.judged.name}" for each in studies)
    equal, tantivy = (
        "to the last bit" if all(same) else "NOT exactly"
        for same in ([each.replay_is_equal for each in studies], [each.tantivy_is_equal for each in studies])
    )
    head = (
        f"# Engines\n\nWritten by `python -m reproduce.engines`, querykin {__version__}: `{measure}` over the same "
        f"{documents:,} documents of `enwiki-core`, searched by the embedded engine and by MediaWiki 1.39 with SQLite. "
        f"The embedded engine is the one over querykin's posting lists, the default; tantivy gives its scores {tantivy}. "
        f"Pairs: {pairs}. Each row of the tables changes one thing of the row above it. A replay of the stored replies, "
        f"offline, gives the scores {equal}. Brackets hold 95 % bootstrap intervals, paired, over groups (needs, queries)."
    )
    sections = [
        f"## {each.judged.name}\n\n{_coverage(each, snippet)}\n\n{_causes(each, snippet)}" for each in studies
    ]
    return "\n\n".join([head, *sections, _why(studies)]) + "\n"


def _coverage(study: Study, snippet: int) -> str:
    """What is covered, and the AUC over all pairs."""
    labels, rows = study.judged.labels, []
    for step in Step:
        having, covered = study.texts[step]
        pairs = study.covered(step).mean()
        scores = study.scores[step]
        shares = (f"{share:.1%}" for share in (having, covered, pairs))
        rows.append([step.format(snippet=snippet), *shares, number(auc(labels, scores))])
    header = ["all pairs", "texts with results", "texts covered", "pairs covered", "AUC"]
    return table(header, rows)


def _causes(study: Study, snippet: int) -> str:
    """The pairs that all cover: the AUC of each step, its change, and how far scores move."""
    rows, labels = [], study.judged.labels[study.common]
    for step, before in zip(CAUSES, (CAUSES[0], *CAUSES[:-1]), strict=True):
        now, then = study.scores[step][study.common], study.scores[before][study.common]
        moved = ["", "", ""]
        if step is not before:
            correlation = float(np.corrcoef(now, then)[0, 1])
            change = study.difference(step, before, study.common)
            moved = [interval(change), number(float(np.abs(now - then).mean())), number(correlation)]
        rows.append([step.format(snippet=snippet), number(auc(labels, now)), *moved])
    header = [
        f"the {study.common.sum():,} pairs that all cover", "AUC", "change", "mean difference of scores", "correlation"
    ]  # fmt: skip
    return table(header, rows)


def _why(studies: Sequence[Study]) -> str:
    """How much of the loss is coverage, and which steps change the order of the covered pairs."""
    rows = []
    for study in studies:
        labels = study.judged.labels
        values = [auc(labels, study.scores[Step.EMBEDDED]), auc(labels, study.hidden)]
        values.append(auc(labels, study.scores[Step.SNIPPETS]))
        both = study.covered(Step.EMBEDDED) & study.covered(Step.SNIPPETS)
        change = study.difference(Step.SNIPPETS, Step.EMBEDDED, both)
        found = [f"{step.format(snippet='short')}: {interval(each)}" for step, each in _told_apart(study)]
        cells = [*map(number, values), interval(change), "; ".join(found) or "none"]
        rows.append([study.judged.name, *cells, f"{study.known:.1%}"])
    header = [
        "set",
        "AUC, embedded",
        "the same, only where MediaWiki covers the pair",
        "AUC, MediaWiki",
        "change on pairs that both cover",
        "steps whose interval excludes 0",
        "pages matched",
    ]
    return f"## Why they differ\n\n{table(header, rows)}\n\n{_READING}"


def _told_apart(study: Study) -> list[tuple[Step, Interval]]:
    pairs = zip(CAUSES[1:], CAUSES[:-1], strict=True)
    changes = [(step, study.difference(step, before, study.common)) for step, before in pairs]
    return [(step, each) for step, each in changes if each.low > 0 or each.high < 0]


_READING = """In the second column of this table are the scores of the embedded engine and the coverage of MediaWiki: what
separates it from the first is coverage alone, and that is nearly all of the loss. A text is covered when its results match 40 %
of its idf mass (the default, `min_idf_coverage`), and a pair when both texts are. Two things cost about as much coverage each.
MediaWiki's own search finds pages with all words of a text, and knows no stems; asked again with fewer words, the longest ones,
it finds something for most texts, but then the other words count as not matched, unless these pages happen to have them. And
of a page elsewhere only the title and a short snippet are known, where the embedded engine sees whole documents: words that the
snippet leaves out count as not matched.

On pairs that all cover, scores move most where other documents are found: those with the longest words are about these words
rather than about the text. That is also the one step that lowers the AUC of all three sets. Shorter passages, MediaWiki's order,
its snippets and their document frequencies move scores less, and with one exception the AUC not beyond its interval: on neuqs QAC,
where even the embedded engine hardly tells good pairs from others, MediaWiki's snippets are worse than windows around the words."""
