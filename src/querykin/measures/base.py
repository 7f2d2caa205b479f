"""The measure contract: scores of pairs of short texts, and explanations of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from querykin.compute.arrays import Float64Array
from querykin.measures.families import Family
from querykin.measures.parameters import parameter_names, validate_parameters
from querykin.measures.requirements import Requirements
from querykin.registry import Registry
from querykin.types import Contribution, Explanation, Passage

if TYPE_CHECKING:
    from querykin.measures.resources import Resources

_HERE, _LEARNED = "querykin.measures", "querykin.learning"
# The module that registers each measure: a new measure is one file and one line here.
measures: Registry["MeasureEntry"] = Registry(
    "measure",
    {
        "matching": f"{_HERE}.word_overlap",
        "matching-stems": f"{_HERE}.word_overlap",
        "dice": f"{_HERE}.word_overlap",
        "dice-stems": f"{_HERE}.word_overlap",
        "jaccard": f"{_HERE}.word_overlap",
        "jaccard-stems": f"{_HERE}.word_overlap",
        "overlap": f"{_HERE}.word_overlap",
        "overlap-stems": f"{_HERE}.word_overlap",
        "cosine": f"{_HERE}.word_overlap",
        "cosine-stems": f"{_HERE}.word_overlap",
        "idf-cosine": f"{_HERE}.idf_cosine",
        "exact": f"{_HERE}.lexical",
        "exact-stems": f"{_HERE}.lexical",
        "phrase": f"{_HERE}.lexical",
        "subset": f"{_HERE}.lexical",
        "lexical": f"{_HERE}.cascade",
        "stemming": f"{_HERE}.cascade",
        "backoff": f"{_HERE}.cascade",
        "edit": f"{_HERE}.edit",
        "tfidf": f"{_HERE}.tfidf",
        "web-kernel": f"{_HERE}.web_kernel",
        "web-kernel-paper": f"{_HERE}.web_kernel",
        "web-kernel-static": f"{_HERE}.expanded_embedding",
        "web-kernel-dense": f"{_HERE}.expanded_embedding",
        "set-overlap": f"{_HERE}.result_vectors",
        "result-cosine": f"{_HERE}.result_vectors",
        "sparse-prob": f"{_HERE}.language_model",
        "dense-prob": f"{_HERE}.language_model",
        "distributional": f"{_HERE}.distributional",
        "distributional-ngrams": f"{_HERE}.distributional",
        "pmi": f"{_HERE}.pmi",
        "latent": f"{_HERE}.latent",
        "static": f"{_HERE}.embedding",
        "dense": f"{_HERE}.embedding",
        "co-click": f"{_HERE}.co_click",
        "co-session": f"{_HERE}.co_session",
        "reformulation": f"{_HERE}.reformulation",
        "hybrid": f"{_HERE}.hybrid",
        "hybrid-static": f"{_HERE}.hybrid",
        "web-relevance": f"{_LEARNED}.keywords.web_relevance",
        "tweak": f"{_LEARNED}.tweak.measure",
    },
)


@dataclass(frozen=True)
class Substitute:
    """Another measure that takes the place of one that cannot be used here, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Measure(ABC):
    """How similar two short texts are, higher meaning more; NaN where the measure cannot tell.

    A measure is an immutable value: its parameters, and the resources it reads. `symmetric`: the order of the
    two texts does not matter. `always_scores`: every pair gets a number, never NaN. `bounded`: scores are
    between -1 and 1. `kernel`: symmetric, positive semi-definite, 1 for a text and itself. `family`: what the
    texts are compared by.
    """

    NAME: ClassVar[str] = ""
    symmetric: ClassVar[bool] = True
    always_scores: ClassVar[bool] = False
    bounded: ClassVar[bool] = True
    kernel: ClassVar[bool] = False
    family: ClassVar[Family] = Family.MEANING
    source: ClassVar[str] = ""  # the paper it comes from
    formula: ClassVar[str] = ""
    advice: ClassVar[str] = ""  # when to use it

    def __post_init__(self) -> None:
        validate_parameters(type(self), self.name, self.parameters)

    @property
    def name(self) -> str:
        """The name the measure is registered under, or its class's."""
        return self.NAME or type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the parameters that the settings may give."""
        return {each: getattr(self, each) for each in parameter_names(type(self))}

    def components(self) -> tuple["Measure", ...]:
        """The measures that this one is made of."""
        return ()

    @property
    def listwise(self) -> bool:
        """Whether the score of a pair depends on the other candidates of its query."""
        return False

    @classmethod
    def requirements(cls) -> Requirements:
        """What must be there before the measure can be built."""
        return Requirements()

    @classmethod
    def substitute(cls, resources: "Resources") -> Substitute | None:
        """The measure that takes the place of this one with these resources; None: none is needed."""
        return None

    @classmethod
    def from_resources(cls, resources: "Resources", parameters: Mapping[str, Any]) -> Self:
        """The measure with these parameters; it takes what it reads from the resources."""
        return cls(**parameters)

    @abstractmethod
    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query with the candidate beside it."""

    @abstractmethod
    def explain(self, a: str, b: str) -> Explanation:
        """The terms that make the score of two texts."""

    def score(self, query: str, candidates: Sequence[str]) -> Float64Array:
        """The scores of one query with several candidates."""
        return self.score_pairs([query] * len(candidates), candidates)

    def explanation(
        self,
        a: str,
        b: str,
        score: float,
        terms: Sequence[str],
        shares: Float64Array,
        passages: Sequence[Passage] = (),
    ) -> Explanation:
        """An explanation from terms and the share of the score that each contributes."""
        contributions = (Contribution(term, float(share)) for term, share in zip(terms, shares, strict=True))
        return Explanation(
            a, b, self.name, score, tuple(contributions), tuple(passages), bounded=self.bounded
        )


@dataclass(frozen=True)
class MeasureEntry:
    """A registered measure: its class, and parameters that its name fixes."""

    kind: type[Measure]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def build(self, resources: "Resources", parameters: Mapping[str, Any]) -> Measure:
        """The measure with these parameters."""
        return self.kind.from_resources(resources, {**parameters, **self.fixed})


Kind = TypeVar("Kind", bound=type[Measure])


def register(name: str, **fixed: Any) -> Callable[[Kind], Kind]:
    """Register a measure under a name; `fixed` are parameters that belong to the name."""

    def decorate(kind: Kind) -> Kind:
        measures.register(name)(MeasureEntry(kind, fixed))
        return kind

    return decorate


class RerankingMeasure(Measure):
    """A measure over the scores of others: it re-ranks the candidates of first-stage retrievers."""

    @property
    @abstractmethod
    def first_stage(self) -> Sequence[str]:
        """The names of the components that retrieve candidates."""

    @abstractmethod
    def combine(
        self, queries: Sequence[str], candidates: Sequence[str], scores: Sequence[Float64Array]
    ) -> Float64Array:
        """Scores of pairs from the scores of the components, in their order."""

    @abstractmethod
    def with_components(self, components: Sequence[Measure]) -> Self:
        """The same measure over other instances of its components."""


class BruteForceMeasure(Measure):
    """A measure without vectors: it ranks a repository by scoring every query, preprocessed once."""

    @abstractmethod
    def preprocess(self, texts: Sequence[str]) -> list[str]:
        """Texts in the form in which they are compared."""

    @abstractmethod
    def score_preprocessed(self, query: str, candidates: Sequence[str]) -> Float64Array:
        """The scores of one preprocessed query with many preprocessed candidates."""
