"""What may be asked, and what comes back: the shapes of requests and answers, checked and documented."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat

from querykin.server.problems import HTTPProblem, invalid
from querykin.settings import ServerSettings

BOUND = "x-bound"  # which setting bounds a field: the number is written into the OpenAPI document


def _characters(text: str) -> str:
    """JSON can spell half a character, which no answer could repeat."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("the text holds half a surrogate pair")
    return text


Text = Annotated[
    str,
    AfterValidator(_characters),
    Field(description="A short text.", json_schema_extra={BOUND: "max_text"}),
]
MeasureName = Annotated[
    str, AfterValidator(_characters), Field(max_length=200, description="A measure by its name.")
]
Count = Annotated[int, Field(ge=1, description="How many at most.", json_schema_extra={BOUND: "max_k"})]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pair(_Request):
    """Two short texts."""

    a: Text
    b: Text


class Pairs(_Request):
    """Pairs to be compared, and by which measures."""

    pairs: list[Pair] = Field(
        min_length=1,
        description="The bound is for pairs times measures.",
        json_schema_extra={BOUND: "max_pairs"},
    )
    measures: list[MeasureName] = Field(
        [], max_length=100, description="None: all that are ready; to explain, web-kernel."
    )

    def texts(self) -> list[tuple[str, str]]:
        """Both texts of each pair."""
        return [(pair.a, pair.b) for pair in self.pairs]


class Match(_Request):
    """Queries whose nearest are wanted."""

    queries: list[Text] = Field(min_length=1, json_schema_extra={BOUND: "max_queries"})
    k: Count = 10
    measure: MeasureName = "web-kernel"


class JudgementRequest(_Request):
    """The grade that a rater gives to a candidate for a query."""

    query: Text
    candidate: Text
    grade: FiniteFloat = Field(description="A number on the scale of the task.")
    rater: Text
    task: Text


class Offer(BaseModel):
    """A related query, its score and how often it was asked."""

    query: str
    score: float
    count: int


class SuggestAnswer(BaseModel):
    """Related queries for one query; not covered: the measure has no opinion on it."""

    query: str
    covered: bool
    measure: str
    suggestions: list[Offer]


class SimilarityAnswer(BaseModel):
    """The scores of a pair by each measure; null: no opinion."""

    a: str
    b: str
    scores: dict[str, float | None]


class Share(BaseModel):
    """What one term adds to a score."""

    term: str
    share: float


class Source(BaseModel):
    """A piece of a document that speaks for one side of a pair."""

    side: str
    document: str
    title: str
    url: str
    text: str


class ExplainAnswer(BaseModel):
    """Why a pair gets its score: the shares sum to it."""

    a: str
    b: str
    measure: str
    score: float | None
    contributions: list[Share]
    passages: list[Source]
    notes: list[str]


class JudgementAnswer(BaseModel):
    """A judgement that is on disk."""

    task: str
    query: str
    candidate: str
    rater: str
    grade: float
    at: str


class ProblemDetails(BaseModel):
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


class State(BaseModel):
    """Whether the service lives, or is ready."""

    status: str


class Bounds:
    """Checks a request against the configured bounds; one that does not fit is a problem."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings

    def texts(self, place: str, texts: Sequence[str]) -> None:
        """Refuse texts that are too long."""
        most = self._settings.max_text
        longest = max(map(len, texts))
        if longest > most:
            raise _too_much(place, longest, most, "characters for a text")

    def pairs(self, body: Pairs, measures: int) -> None:
        """Refuse more comparisons than one request may ask for."""
        self.texts("body.pairs", [text for pair in body.texts() for text in pair])
        if len(body.pairs) * max(1, measures) > self._settings.max_pairs:
            asked = f"{len(body.pairs)} pairs by {measures} measures"
            raise _too_much("body.pairs", asked, self._settings.max_pairs, "comparisons")

    def queries(self, body: Match) -> None:
        """Refuse more queries than one request may ask for."""
        self.texts("body.queries", body.queries)
        self.limit("body.k", body.k)
        if len(body.queries) > self._settings.max_queries:
            raise _too_much("body.queries", len(body.queries), self._settings.max_queries, "queries")

    def limit(self, place: str, k: int) -> None:
        """Refuse a k that is too large."""
        if k > self._settings.max_k:
            raise _too_much(place, k, self._settings.max_k, "for each query")


def _too_much(place: str, got: object, most: int, what: str) -> HTTPProblem:
    return invalid([{"at": place, "message": f"at most {most} {what}, got {got}"}])
