"""The service when OpenSearch does not answer."""

import socket

from fastapi.testclient import TestClient

from querykin import Settings, Workspace
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.candidate_settings import CandidateSettings
from querykin.server.app import create_app
from querykin.settings_sections import ServerSettings


def test_a_cluster_that_does_not_answer_is_a_503(workspace_copy):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        settings = Settings(
            candidates=CandidateSettings(kind="opensearch"),
            opensearch=OpenSearchSettings(hosts=(f"http://127.0.0.1:{taken.getsockname()[1]}",)),
        )
        opened = Workspace.open(workspace_copy, settings)
        with TestClient(create_app(opened, ServerSettings(rate=0.0))) as client:
            response = client.get("/v1/suggest", params={"q": "nasa", "measure": "web-kernel"})
            assert response.status_code == 503
            assert response.json()["type"] == "/docs#unavailable"
            assert "does not answer" in response.json()["detail"]
            words = client.get("/v1/suggest", params={"q": "nasa", "measure": "jaccard"})
            assert words.status_code == 409  # rows that are not published are not looked for there
