"""Suggest page: related queries for a query, with explanations and export."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from querykin.defaults import DEFAULT_MEASURE, MIN_PROBABILITY
from querykin.errors import QuerykinError
from querykin.io.query_records import MAX_COUNT
from querykin.io.safe_csv import safe_cell
from querykin.retrieval.filters import DEFAULT_FILTER
from querykin.retrieval.suggester import TSV_COLUMNS, suggestion_rows, suggestions_json
from querykin.server.api import missing_shards_header
from querykin.server.explanation_view import ExplanationView, make_view
from querykin.server.problems import HTTPProblem
from querykin.server.snapshot import Snapshot
from querykin.server.suggestion_view import make_list, side_by_side
from querykin.server.views import (
    as_problem,
    attachment,
    check_length,
    get_service,
    link,
    measure_summary,
    parse_float,
    parse_int,
    parse_probability,
    render_errors,
    render_page,
)
from querykin.text.normalization import normalize_query

router = APIRouter()
DEFAULT_K = 10
MAX_K = 100
FILTERS = {DEFAULT_FILTER: "no near-duplicates", "paper": "mostly new words", "none": "off"}


@dataclass(frozen=True)
class SuggestForm:
    """Values of the form as entered, with whitespace of the query normalized."""

    q: str = ""
    measure: str = DEFAULT_MEASURE
    k: str = ""
    threshold: str = ""
    filter: str = DEFAULT_FILTER
    min_count: str = ""
    min_probability: str = ""
    exact: bool = False
    versus: str = ""  # another measure, whose suggestions are shown beside

    def link(self, path: str, q: str = "", exact: bool | None = None) -> str:
        """URL of another path with the same values, or with another query or choice of `exact`."""
        return link(
            path,
            q=q or self.q,
            measure="" if self.measure == DEFAULT_MEASURE else self.measure,
            k=self.k,
            threshold=self.threshold,
            filter="" if self.filter == DEFAULT_FILTER else self.filter,
            min_count=self.min_count,
            min_probability=self.min_probability,
            exact="true" if (self.exact and not q if exact is None else exact) else "",
            versus=self.versus,
        )


def _form(
    q: str = "",
    measure: str = DEFAULT_MEASURE,
    k: str = "",
    threshold: str = "",
    filter: str = DEFAULT_FILTER,
    min_count: str = "",
    min_probability: str = "",
    exact: str = "",
    versus: str = "",
) -> SuggestForm:
    return SuggestForm(
        normalize_query(q), measure, k, threshold, filter, min_count, min_probability, exact == "true", versus
    )


Form = Annotated[SuggestForm, Depends(_form)]


@router.get("/")
@render_errors
async def suggest(request: Request, form: Form) -> Response:
    """The form, and related queries if a query is given."""
    service = get_service(request)
    values = await service.run(lambda snapshot: _page_values(snapshot, form))
    status = 200
    try:
        if form.q and not values["setup_steps"]:
            arguments = _arguments(request, form)
            values |= await service.run(lambda snapshot: _lists(snapshot, form, arguments))
            request.state.measure = values["result"].measure  # for the log and the metrics
    except (HTTPProblem, QuerykinError) as error:
        problem = as_problem(request, error)
        values["problem"], status = problem.detail, problem.status
    return render_page(request, "suggest.html", status, **values)


def _page_values(snapshot: Snapshot, form: SuggestForm) -> dict[str, Any]:
    return {
        "form": form,
        "result": None,
        "measures": snapshot.searching,
        "buildable": snapshot.buildable,
        "not_installed": snapshot.not_installed,
        "default_measure": DEFAULT_MEASURE,
        "filters": FILTERS,
        "min_probability": MIN_PROBABILITY,
        "setup_steps": setup_steps(snapshot),
        "examples": [] if form.q else [example.query for example in snapshot.examples],
        "measure_summary": measure_summary,
        "only_mined": not snapshot.totals.logged,
        "problem": "",
    }


def _arguments(request: Request, form: SuggestForm) -> dict[str, Any]:
    """The values of the form as arguments of `Snapshot.suggest`; InputError if one cannot be used."""
    check_length(request, **{"the query": form.q})
    max_k = min(MAX_K, get_service(request).settings.max_k)
    return {
        "k": parse_int("the number of suggestions", form.k, DEFAULT_K, max_k),
        "filter": form.filter,
        "threshold": parse_float("the minimum score", form.threshold),
        "min_count": parse_int("the minimum count", form.min_count, 1, MAX_COUNT),
        "min_probability": parse_probability(
            "the minimum probability", form.min_probability, MIN_PROBABILITY
        ),
        "exact": form.exact,
    }


def _lists(snapshot: Snapshot, form: SuggestForm, arguments: dict[str, Any]) -> dict[str, Any]:
    """The suggestions, those of another measure beside them, and what misspelt words probably mean."""
    result = snapshot.suggest(form.q, measure=form.measure, **arguments)
    missing = result.missing_shards
    if form.versus:
        other = snapshot.suggest(form.q, measure=form.versus, **arguments)
        missing = tuple(dict.fromkeys((*missing, *other.missing_shards)))
        shown, beside = side_by_side(result, other, snapshot.repository)
    else:
        shown, beside = make_list(result, snapshot.repository), None
    return {
        "result": result,
        "shown": shown,
        "beside": beside,
        "missing": missing,
        "meant": snapshot.workspace.spelling.correct(form.q) if form.exact else None,
    }


def setup_steps(snapshot: Snapshot) -> list[dict[str, str]]:
    """Commands to run before anything can be suggested, in order."""
    steps = []
    if not len(snapshot.workspace.corpus):
        steps.append({"title": "Add your documents", "command": "querykin corpus add FILE..."})
    if not len(snapshot.repository):
        steps.append(
            {
                "title": "Add past queries, one per line",
                "command": "querykin repository add FILE",
                "alternative": "querykin repository mine",
            }
        )
    if steps or not snapshot.searching:
        steps.append({"title": "Build the index", "command": "querykin build"})
    return steps


@router.get("/suggestions.{file_format}")
@render_errors
async def export(request: Request, file_format: str, form: Form) -> Response:
    """The suggestions as a file, in the formats of the command line: tsv or json."""
    if file_format not in ("tsv", "json"):
        raise HTTPProblem(404, f"suggestions are exported as tsv or json, got {file_format[:20]!r}")
    arguments = _arguments(request, form)
    result = await get_service(request).run(
        lambda snapshot: snapshot.suggest(form.q, measure=form.measure, **arguments)
    )
    request.state.measure = result.measure
    if file_format == "json":
        text, media_type = json.dumps([suggestions_json(result)], ensure_ascii=False), "application/json"
    else:
        rows = ["\t".join(map(safe_cell, row.split("\t"))) for row in suggestion_rows(result)]
        text = "".join(f"{row}\n" for row in ("\t".join(TSV_COLUMNS), *rows))
        media_type = "text/tab-separated-values"
    response = attachment(text, f"suggestions.{file_format}", media_type)
    response.headers.update(missing_shards_header(result.missing_shards) or {})
    return response


@router.get("/why")
@render_errors
async def why(request: Request, a: str = "", b: str = "", measure: str = DEFAULT_MEASURE) -> Response:
    """Explanation of a suggestion: contributions of shared terms, and passages of the documents."""
    a, b = normalize_query(a), normalize_query(b)
    check_length(request, **{"the first text": a, "the second text": b})

    def explained(snapshot: Snapshot) -> ExplanationView:
        return make_view(snapshot.explain_suggestion(a, b, measure), snapshot.workspace.analyzer)

    view = await get_service(request).run(explained)
    request.state.measure = view.explanation.measure
    return render_page(request, "explanation.html", view=view, current="Suggest")
