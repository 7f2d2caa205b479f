"""The sections of the settings that no other module defines, with the limits of their values."""

from pydantic import Field

from querykin.compute.cpus import available_cpus
from querykin.cooccurrence.limits import DISTANCE, MAX_DISTANCE, MEMORY
from querykin.defaults import MIN_SESSIONS
from querykin.measures.parameters import MAX_VALUE
from querykin.search.expansion import MIN_IDF_COVERAGE, WINDOW
from querykin.storage.locations import CACHE_BYTES
from querykin.validation import Section


class TextSettings(Section):
    """The language of the documents."""

    language: str = Field(
        "",
        description="the language of a new corpus, by ISO 639-1 code or English name; several with "
        "commas between them; empty: recognized from its first documents",
    )


class ExpansionSettings(Section):
    """Query expansion."""

    window: int = Field(
        WINDOW, ge=1, le=MAX_VALUE, description="characters of a document around the query's terms"
    )
    min_idf_coverage: float = Field(
        MIN_IDF_COVERAGE, ge=0, le=1, description="share of a text's idf mass that its results must contain"
    )


class CooccurrenceSettings(Section):
    """Counting of co-occurrences."""

    distance: int = Field(
        DISTANCE, ge=1, le=MAX_DISTANCE, description="words co-occur up to this many words apart"
    )
    memory: int = Field(MEMORY, ge=16, le=1 << 20, description="MiB that counting may use")


class LogSettings(Section):
    """The search log."""

    min_sessions: int = Field(
        MIN_SESSIONS,
        ge=1,
        le=MAX_VALUE,
        description="sessions that must have asked a query before it is offered or shown",
    )


class StorageSettings(Section):
    """The local copy of a workspace in object storage."""

    cache_dir: str = Field(
        "", description="the folder of local copies; empty: querykin in $XDG_CACHE_HOME or ~/.cache"
    )
    cache_bytes: int = Field(
        CACHE_BYTES,
        ge=1_000_000,
        le=10**15,
        description="bytes of downloaded parts; above it, those that were not used for the longest time "
        "and that no process has open are deleted",
    )


class ServerSettings(Section):
    """Limits and access of the HTTP service."""

    threads: int = Field(
        default_factory=lambda: max(2, min(4, available_cpus())),
        ge=1,
        le=256,
        description="threads of a worker that compute",
    )
    concurrency: int = Field(
        32, ge=1, le=10_000, description="requests of a worker that compute or wait for a thread"
    )
    timeout: float = Field(10.0, ge=0.01, le=3600, description="seconds until a request is abandoned")
    shard_timeout: float = Field(
        2.0, ge=0.01, le=3600, description="seconds until a router answers without a shard"
    )
    header_timeout: float = Field(
        10.0, ge=0.01, le=3600, description="seconds for the line and the headers of a request to arrive"
    )
    write_timeout: float = Field(
        30.0, ge=0.01, le=3600, description="seconds for a client to read what of its response is buffered"
    )
    keep_alive: int = Field(65, ge=0, le=3600, description="seconds that an idle connection stays open")
    connections: int = Field(
        4096,
        ge=1,
        le=10**6,
        description="open connections of a worker, as far as the limit of open files allows; above it, the "
        "one that has waited longest for its request is closed",
    )
    connections_per_client: int = Field(
        256, ge=1, le=10**6, description="the same for one address, unless it is one of the proxies"
    )
    shutdown: int = Field(30, ge=0, le=3600, description="seconds to wait for requests in flight at the end")
    rate: float = Field(50.0, ge=0, le=1e9, description="requests per second of one client; 0: unlimited")
    burst: int = Field(
        200, ge=1, le=10**9, description="requests that a client may make at once on top of the rate"
    )
    max_body: int = Field(1_000_000, ge=1, le=10**9, description="bytes of a request's body")
    max_upload: int = Field(
        20_000_000, ge=1, le=10**10, description="bytes of a keyword list that is uploaded or pasted"
    )
    max_text: int = Field(1000, ge=1, le=10**6, description="characters of a text")
    max_pairs: int = Field(1000, ge=1, le=10**6, description="pairs of a request, times measures")
    max_queries: int = Field(100, ge=1, le=10**6, description="queries of a request")
    max_k: int = Field(1000, ge=1, le=10**6, description="suggestions, matches or documents for a query")
    cache: int = Field(10_000, ge=0, le=10**9, description="responses of suggest that a worker caches")
    judgements: str = Field("", description="the file of judgements; none: judgements.db of the workspace")
    log_queries: bool = Field(False, description="write the texts of requests into the log")
    tokens: tuple[str, ...] = Field((), strict=False, description="bearer tokens; none: no authentication")
    origins: tuple[str, ...] = Field(
        (), strict=False, description="other origins whose scripts may send requests (CORS)"
    )
    hosts: tuple[str, ...] = Field(
        (),
        strict=False,
        description="host names the service answers to besides localhost; none: any, unless on localhost",
    )
    proxies: tuple[str, ...] = Field(
        (),
        strict=False,
        description="addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are "
        "believed; none: the headers are ignored",
    )
