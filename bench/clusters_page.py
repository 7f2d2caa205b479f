"""The Clusters page for 50,000 keywords: `python -m bench.clusters_page [FOLDER]`.

Web queries of the shared data are compared by `static` once, in FOLDER if it is given; then the page is asked for at
several thresholds, with a text to find, and for exports. Prints wall and processor time, and bytes of the response.
"""

import sys
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi.testclient import TestClient
from reproduce.data import list_file

from querykin import Workspace
from querykin.clustering.thresholds import lowest_threshold
from querykin.io import read_queries
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.app import create_app
from querykin.settings_sections import ServerSettings

KEYWORDS, MEASURE = 50_000, "static"
THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)
FOUND = ("hotel", "new york", "a")
EXPORTS = ("google-ads.csv", "grouped-keywords.csv", "clusters.json")


def main() -> None:
    """Prepare the list, then measure."""
    with TemporaryDirectory() as temporary:
        workspace = Workspace.open(sys.argv[1] if len(sys.argv) > 1 else Path(temporary) / "workspace")
        rows = read_queries(str(list_file("trec-web-queries")), print)
        queries = CountedQueries.collect((query, count) for query, count, _ in islice(rows, KEYWORDS))
        listed = workspace.keyword_lists.add("web queries", queries)
        started = time.perf_counter()
        workspace.open_keyword_list(listed.id).neighbor_graph(MEASURE, lowest_threshold(MEASURE))
        print(f"{listed.keywords:,} keywords, compared in {time.perf_counter() - started:.0f} s")
        app = create_app(workspace.reopen(), ServerSettings(rate=0.0))
        with TestClient(app, headers={"accept": "text/html"}) as client:
            chosen = {"list": listed.id, "measure": MEASURE}
            _ask(client, "/clusters", chosen)  # opens the list
            for threshold in THRESHOLDS:
                _ask(client, "/clusters", {**chosen, "threshold": str(threshold)})
            for text in FOUND:
                _ask(client, "/clusters", {**chosen, "threshold": "0.6", "find": text})
            for name in EXPORTS:
                _ask(client, f"/clusters/{name}", {**chosen, "threshold": "0.6"})


def _ask(client: TestClient, path: str, parameters: dict[str, str]) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    response = client.get(path, params=parameters)
    wall, processor = 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor)
    assert response.status_code == 200, response.text
    asked = " ".join(f"{name}={value}" for name, value in parameters.items() if name in ("threshold", "find"))
    size = len(response.content)
    print(f"{path} {asked}: {wall:.0f} ms, {processor:.0f} ms of processor time, {size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
