"""A MediaWiki with pages of one's own, on SQLite and PHP's own server.

Needs Debian's packages php-cli, php-sqlite3, php-mbstring, php-xml, php-intl and mediawiki; or MediaWiki unpacked
in a folder that QUERYKIN_MEDIAWIKI names.
"""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Self
from xml.sax.saxutils import escape

from querykin import Document

FOLDER = Path(os.environ.get("QUERYKIN_MEDIAWIKI", "/usr/share/mediawiki"))
MISSING = "" if (FOLDER / "api.php").exists() and shutil.which("php") else "MediaWiki or PHP is not installed"
START = 60  # seconds


class MediaWiki:
    """A wiki in a folder, filled when it is made; a context manager that stops its server at the end."""

    def __init__(self, folder: Path, documents: Iterable[Document]) -> None:
        self._folder = folder
        self.port = _port(folder)
        self._environment = {
            **os.environ,
            "MW_CONFIG_FILE": str(folder / "LocalSettings.php"),
            "PHP_CLI_SERVER_WORKERS": "2",
        }
        if not (folder / "LocalSettings.php").exists():
            self._install()
            dump = folder / "pages.xml"
            _write_dump(dump, documents)
            self._php("importDump.php", "--quiet", "--no-updates", str(dump))
            self._php("rebuildtextindex.php", "--quiet")
            with closing(sqlite3.connect(folder / "wiki.sqlite")) as database:
                database.execute("ANALYZE")  # else SQLite searches the text index once for every page

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"http://localhost:{self.port}/api.php"

    def _install(self) -> None:
        options = {"dbtype": "sqlite", "dbpath": self._folder, "dbname": "wiki", "confpath": self._folder}
        options |= {"server": "http://localhost", "scriptpath": "", "pass": os.urandom(12).hex()}
        given = [f"--{name}={value}" for name, value in options.items()]
        self._php("install.php", *given, "Wiki", "Admin")
        with (self._folder / "LocalSettings.php").open("a") as settings:
            settings.write("$wgJobRunRate = 0;\n$wgMainCacheType = CACHE_NONE;\n")
            settings.write("$wgSQLiteDataDir = __DIR__;\n")  # the folder can be moved

    def _php(self, script: str, *arguments: str) -> None:
        command = ["php", str(FOLDER / "maintenance" / script), *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{script}: {done.stdout[-2000:]}{done.stderr[-2000:]}")

    def __enter__(self) -> Self:
        command = ["php", "-d", "opcache.enable_cli=1", "-S", f"localhost:{self.port}", "-t", str(FOLDER)]
        log = (self._folder / "server.log").open("w")
        self._server = subprocess.Popen(
            command, env=self._environment, stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        deadline = time.monotonic() + START
        while True:
            try:
                with urllib.request.urlopen(f"{self.api}?action=query&meta=siteinfo&format=json", timeout=30):
                    return self
            except OSError:
                if time.monotonic() > deadline or self._server.poll() is not None:
                    self.__exit__()
                    raise
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        os.killpg(self._server.pid, signal.SIGTERM)  # with its workers
        self._server.wait()


def page_title(title: str) -> str:
    """The title of a page as a wiki has it: it begins with a capital.

    >>> page_title("iPod nano")
    'IPod nano'
    """
    return title[:1].upper() + title[1:]


def _port(folder: Path) -> int:
    """The port of a wiki, the same in every run: stored replies belong to an address."""
    file = folder / "port"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            file.write_text(str(taken.getsockname()[1]))
    return int(file.read_text())


def _write_dump(path: Path, documents: Iterable[Document]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write(
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
        )
        for number, document in enumerate(documents, start=1):
            out.write(
                f"<page><title>{escape(document.title)}</title><ns>0</ns><id>{number}</id><revision><id>{number}"
                "</id><timestamp>2024-01-01T00:00:00Z</timestamp><contributor><username>Admin</username>"
                "</contributor><model>wikitext</model><format>text/x-wiki</format>"
                f'<text xml:space="preserve">{escape(document.text)}</text></revision></page>\n'
            )
        out.write("</mediawiki>\n")
