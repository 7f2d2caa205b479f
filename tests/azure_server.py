"""Azurite, the emulator of Azure Blob Storage (npm install azurite), on a free port."""

import base64
import hashlib
import hmac
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from urllib.error import HTTPError, URLError

PROGRAM = shutil.which("azurite-blob")
_ACCOUNT = "devstoreaccount1"  # account and key are those of the documentation, the same everywhere
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def running(folder: Path) -> Iterator[dict[str, str]]:
    """Start the server with a container "shop"; yields the variables that lead to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", str(folder)]
    process = subprocess.Popen([PROGRAM, *options, "--blobPort", str(port)], stdout=subprocess.DEVNULL)
    endpoint = f"http://127.0.0.1:{port}/{_ACCOUNT}"
    try:
        _create_container(endpoint)
        yield {
            "AZURE_STORAGE_ACCOUNT_NAME": _ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
            "AZURE_STORAGE_ENDPOINT": endpoint,
        }
    finally:
        process.terminate()
        process.wait(30)


def _create_container(endpoint: str) -> None:
    """Signed as in "Authorize with Shared Key" of the Azure documentation."""
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    signed = "".join(f"{name}:{value}\n" for name, value in headers.items())
    text = "PUT" + "\n" * 12 + f"{signed}/{_ACCOUNT}/{_ACCOUNT}/shop\nrestype:container"
    signature = base64.b64encode(hmac.digest(base64.b64decode(_KEY), text.encode(), hashlib.sha256)).decode()
    headers |= {"Authorization": f"SharedKey {_ACCOUNT}:{signature}", "Content-Length": "0"}
    request = urllib.request.Request(f"{endpoint}/shop?restype=container", headers=headers, method="PUT")
    for _ in range(150):
        try:
            urllib.request.urlopen(request).close()
            return
        except HTTPError:
            raise
        except (URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(endpoint)
