"""The settings of the search engine over the corpus."""

from typing import Literal

from pydantic import Field

from querykin.validation import Section


class EngineSettings(Section):
    """The search engine, over the corpus or elsewhere."""

    kind: str = Field(
        "postings",
        description="the search engine: postings, the posting lists of the corpus; tantivy, embedded, with "
        "the same results; opensearch, at the hosts of [opensearch]; mediawiki, searxng, solr or brave, at "
        "url; or recorded, which reads stored results",
    )
    path: str = Field("", description="the file of stored results, for recorded")
    mode: Literal["proposer", "external"] = Field(
        "proposer",
        description="what opensearch does: proposer, it holds the documents of the corpus and proposes some, "
        "which are ranked here; external, an index of others is searched as it is",
    )
    index: str = Field("querykin-documents", description="the index of the documents, for opensearch")
    url: str = Field("", description="the address of mediawiki (its api.php), searxng or solr (a collection)")
    title_field: str = Field("title", description="the field of titles, for solr and opensearch (external)")
    text_field: str = Field("text", description="the field of texts, whose highlights are the snippets")
    url_field: str = Field("url", description="the field of links; need not exist")
    results: int = Field(50, ge=1, le=200, description="results that are asked for a query")
    frequencies: Literal["corpus", "snippets", "engine"] = Field(
        "corpus",
        description="where document frequencies come from when the engine is elsewhere: the documents of the "
        "corpus, the snippets seen so far, which become documents of the corpus, or the engine (solr and "
        "opensearch)",
    )
    key_env: str = Field(
        "QUERYKIN_ENGINE_KEY", description="the environment variable that holds the API key: QUERYKIN_..."
    )
    keyring: str = Field("", description="the service of the keyring that holds the key, user querykin")
    contact: str = Field("", description="a mail or web address for the operators, sent with each request")
    private_hosts: tuple[str, ...] = Field(
        (), strict=False, description="hosts that may have a private, loopback or link-local address"
    )
    ca_certs: str = Field(
        "", description="the file of the certificate authorities to trust; none: those of the system"
    )
    concurrency: int = Field(2, ge=1, le=64, description="requests at the same time")
    rate: float = Field(5.0, gt=0, le=1e6, description="requests a second")
    timeout: float = Field(20.0, ge=0.1, le=3600, description="seconds until a request is abandoned")
    retries: int = Field(
        4, ge=0, le=100, description="further attempts of a request that was refused as too many or failed"
    )
    max_requests: int = Field(1000, ge=0, le=10**9, description="requests of one command, with retries")
    max_age: float = Field(
        0.0, ge=0, le=1e6, description="days after which a stored reply is asked for again; 0: never"
    )
    offline: bool = Field(False, description="send no requests: answer from stored replies")
