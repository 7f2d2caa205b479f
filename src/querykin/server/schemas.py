"""Schemas of API requests and responses: validation, and the components of the OpenAPI document."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from querykin.defaults import DEFAULT_MEASURE
from querykin.errors import UnknownName

LIMIT = "x-limit"  # names the setting that limits a field; openapi.py replaces it by the configured value


def _check_surrogates(text: str) -> str:
    """JSON can encode a lone surrogate, which UTF-8 cannot."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("the text contains a lone surrogate")
    return text


Text = Annotated[
    str,
    AfterValidator(_check_surrogates),
    Field(description="A short text.", json_schema_extra={LIMIT: "max_text"}),
]
MeasureName = Annotated[
    str, AfterValidator(_check_surrogates), Field(max_length=200, description="Name of a measure.")
]
ResultCount = Annotated[
    int, Field(ge=1, description="Maximum number of results.", json_schema_extra={LIMIT: "max_k"})
]


class RequestBody(BaseModel):
    """A body in JSON: unknown fields and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, given: Any) -> Any:
        """Name the nearest field for an unknown one, which `extra="forbid"` alone does not do."""
        for name in given if isinstance(given, dict) else ():
            if name not in cls.model_fields:
                message = str(UnknownName("field", name[:100], cls.model_fields))
                raise PydanticCustomError("unknown_field", "{message}", {"message": message})
        return given


class Pair(RequestBody):
    """Two short texts."""

    a: Text
    b: Text


class PairsRequest(RequestBody):
    """Pairs of texts to compare, and the measures to compare them by."""

    pairs: list[Pair] = Field(
        min_length=1,
        description="The limit applies to the number of pairs times the number of measures.",
        json_schema_extra={LIMIT: "max_pairs"},
    )
    measures: list[MeasureName] = Field(
        [],
        max_length=100,
        description=f"Empty: all that are ready for similarity, {DEFAULT_MEASURE} for explain.",
    )

    def text_pairs(self) -> list[tuple[str, str]]:
        """The pairs as tuples."""
        return [(pair.a, pair.b) for pair in self.pairs]


class MatchRequest(RequestBody):
    """Queries to find nearest neighbors for."""

    queries: list[Text] = Field(min_length=1, json_schema_extra={LIMIT: "max_queries"})
    k: ResultCount = 10
    measure: MeasureName = DEFAULT_MEASURE


class JudgementRequest(RequestBody):
    """A rater's grade of a candidate for a query, or that the rater cannot judge the pair."""

    query: Text
    candidate: Text
    grade: FiniteFloat | SkipJsonSchema[None] = Field(
        None, description="A grade on the scale of the task; required unless cannot_judge is true."
    )
    rater: Text
    task: Text
    cannot_judge: bool = Field(False, description="Stored in place of a grade.")
    note: Text = Field("", description="A remark of the rater.")
    need: Text = Field("", description="The information need behind the query.")

    @model_validator(mode="after")
    def _check_grade(self) -> Self:
        """A grade that is null by mistake, as NaN in JavaScript, must not be taken for "cannot judge"."""
        if (self.grade is None) != self.cannot_judge:
            raise ValueError("send either a grade, a finite number, or cannot_judge: true")
        return self


_PERCENTILE = (
    "Per cent of random pairs of past queries with a lower score; null if the scores of the measure were not "
    "sampled by a build."
)
Percentile = Annotated[float | None, Field(ge=0, le=100, description=_PERCENTILE)]


class SimilarityResponse(BaseModel):
    """Scores of a pair by measure, and their percentiles; null if the measure does not cover a text."""

    a: str
    b: str
    scores: dict[str, float | None]
    percentiles: dict[str, Percentile]


class Contribution(BaseModel):
    """The share of a score that one term contributes."""

    term: str
    share: float


class Passage(BaseModel):
    """A passage of a document that supports one text of a pair; side is "a" or "b"."""

    side: str
    document: str
    title: str
    url: str
    text: str


class ExplainResponse(BaseModel):
    """Explanation of a score: contributions, which sum to it, and supporting passages."""

    a: str
    b: str
    measure: str
    score: float | None
    contributions: list[Contribution]
    passages: list[Passage]
    notes: list[str]
    percentile: Percentile


class Suggestion(BaseModel):
    """A related query, its score and its count in the query log; with explain=true also its explanation."""

    query: str
    score: float
    count: int
    probability: float | None = Field(
        None, description="Of being a good suggestion; absent if the measure is not calibrated."
    )
    percentile: Percentile
    explanation: ExplainResponse | None = None


class SuggestResponse(BaseModel):
    """Related queries for one query; covered is false if the measure cannot represent the query.

    The suggestions are for `corrected` where words without evidence were replaced; else it is null. A router
    that could not reach all shards says so by `partial` and `missing_shards`; they are absent otherwise.
    """

    query: str
    covered: bool
    measure: str
    corrected: str | None
    suggestions: list[Suggestion]
    partial: bool | None = Field(None, description="True if queries of some shards could not be looked at.")
    missing_shards: list[str] | None = Field(None, description="The names of these shards, as 2/4.")


class DocumentHit(BaseModel):
    """A document that matches a query, with the passages that do."""

    id: str
    title: str
    url: str
    score: float
    passages: list[str]


class ClusterMember(BaseModel):
    """A keyword of a cluster; its score against the head is null if it was placed by hand and has none."""

    query: str
    score: float | None
    count: int


class Cluster(BaseModel):
    """A head and its members, best first; the count is that of all of them."""

    head: str
    count: int
    members: list[ClusterMember]


class ClustersResponse(BaseModel):
    """Keywords grouped at a threshold: numbers of the whole list, and the clusters that were asked for."""

    measure: str
    threshold: float
    groups: int = Field(description="Clusters with members.")
    keywords: int = Field(description="Keywords in them.")
    alone: int = Field(description="Keywords in no such cluster.")
    clusters: list[Cluster]


class JudgementResponse(BaseModel):
    """A stored judgement and the time of its creation."""

    task: str
    query: str
    candidate: str
    rater: str
    grade: float | None
    at: str
    note: str


class ProblemDetails(BaseModel):
    """Problem details (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


class ServiceStatus(BaseModel):
    """Liveness or readiness of the service."""

    status: str
    reason: str | None = Field(None, description="Why the workspace on disk is not the one that answers.")
    shard: str | None = Field(None, description="Of a shard: which one, as 2/4.")
    missing_shards: list[str] | None = Field(None, description="Of a router: the shards that do not answer.")
