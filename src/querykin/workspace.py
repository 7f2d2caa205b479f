"""Where is it kept? One folder with a corpus and all that is known from it."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path

from querykin.compiled import Reals
from querykin.config import Config
from querykin.corpus.corpus import Corpus
from querykin.engines.tantivy import TantivyEngine, TantivyIndexer
from querykin.errors import WorkspaceError
from querykin.expansion import Expander
from querykin.measures import Measure, measures
from querykin.records import Explanation

DEFAULT_MEASURE = "web-kernel"


class Workspace:
    """A corpus on disk and the measures over it.

    Opening a workspace maps files into memory and reads next to nothing; a folder that does not exist yet is
    an empty workspace, and appears on disk with the first documents.

    >>> from querykin import Document, Workspace
    >>> workspace = Workspace.open(getfixture("tmp_path"))
    >>> change = workspace.corpus.add([
    ...     Document("1", "NASA", "NASA leads space exploration with rockets and probes."),
    ...     Document("2", "Pie", "An apple pie is baked in the oven."),
    ... ])
    >>> workspace = workspace.reopen()
    >>> workspace.similarity("space exploration", "NASA") > workspace.similarity("apple pie", "NASA")
    True
    >>> workspace.explain("space exploration", "NASA").passages[0].title
    'NASA'
    """

    def __init__(self, path: Path, config: Config) -> None:
        self.path, self.config = path, config

    @classmethod
    def open(cls, path: str | PathLike[str], config: Config | None = None) -> "Workspace":
        """Open the workspace in a folder."""
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; a workspace is a folder: choose another --workspace")
        return cls(folder, config or Config())

    def reopen(self) -> "Workspace":
        """The same workspace as it is on disk now."""
        return Workspace(self.path, self.config)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""
        return Corpus(self.path / "corpus", TantivyIndexer)

    @cached_property
    def expander(self) -> Expander:
        """What the corpus says about texts."""
        return Expander(self.corpus, TantivyEngine(self.corpus), **self.config.expansion)

    def measure(self, name: str) -> Measure:
        """A measure by name, with the parameters of the configuration."""
        kind = measures[name]
        if not len(self.corpus) and not kind.always_scores:
            raise WorkspaceError(
                f"measure {name!r} asks a corpus, and the one in {self.path} is empty; "
                "next: querykin corpus add FILE"
            )
        return kind(self.expander, **self.config.measures.get(name, {}))

    def measures(self) -> list[str]:
        """The names of the measures that can be used here: without documents only those of the words."""
        usable = [name for name in measures if len(self.corpus) or measures[name].always_scores]
        return sorted(usable, key=lambda name: (name != DEFAULT_MEASURE, name))

    def damaged(self) -> list[str]:
        """What differs on disk from what was written; empty when all is whole."""
        return self.corpus.damaged()

    def similarity(self, a: str, b: str, measure: str = DEFAULT_MEASURE) -> float:
        """How alike two texts are; NaN where the measure has no opinion."""
        return float(self.measure(measure).score_pairs([a], [b])[0])

    def explain(self, a: str, b: str, measure: str = DEFAULT_MEASURE) -> Explanation:
        """Why two texts get their score: the shared terms, the share of each, and passages."""
        return self.measure(measure).explain(a, b)

    def score(
        self, pairs: Iterable[tuple[str, str]], measures: Sequence[str] = (DEFAULT_MEASURE,)
    ) -> dict[str, Reals]:
        """The scores of many pairs, on all cores: an array per measure, in the order of the pairs."""
        queries, candidates = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
        return {name: self.measure(name).score_pairs(queries, candidates) for name in measures}
