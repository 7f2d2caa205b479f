"""Job: compare the keywords of a list with each other, so that they can be grouped at any threshold."""

from urllib.parse import urlencode

from querykin.clustering.thresholds import lowest_threshold
from querykin.progress import Progress
from querykin.server.jobs.kinds import LINK, Arguments, Result, job_kind
from querykin.workspace import Workspace

KIND = "compare-keywords"


def clusters_page(arguments: Arguments) -> str:
    """The path of the page with the clusters."""
    given = {name: arguments[name] for name in ("list", "measure") if arguments[name]}
    return f"/clusters?{urlencode(given)}"


@job_kind(KIND, lambda arguments: f"Compare keywords: {arguments['name']}", clusters_page)
def compare_keywords(workspace: Workspace, arguments: Arguments, progress: Progress) -> Result:
    """Index the keywords and search for the neighbors of each; both continue where they were interrupted."""
    identity, measure = arguments["list"], arguments["measure"]
    opened = workspace.open_keyword_list(identity) if identity else workspace
    opened.build(measure)
    opened.neighbor_graph(measure, lowest_threshold(measure))
    return {LINK: clusters_page(arguments)}
