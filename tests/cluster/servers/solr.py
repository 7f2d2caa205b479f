"""Solr as a process on this machine, from the jars of Maven Central.

Needs Java 17 and Maven. The jars, 83 MB, are downloaded once into a cache.
"""

import json
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Self

from cluster.servers.maven import HERE, jars
from cluster.servers.opensearch import START, free_ports

VERSION = "9.8.1"
HEAP = 512  # MiB
_CONFIG = """<config>
  <luceneMatchVersion>9.11</luceneMatchVersion>
  <requestHandler name="/select" class="solr.SearchHandler"/>
  <requestHandler name="/update" class="solr.UpdateRequestHandler"/>
</config>
"""
_SCHEMA = """<schema name="pages" version="1.6">
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="text" class="solr.TextField">
    <analyzer>
      <tokenizer class="solr.StandardTokenizerFactory"/>
      <filter class="solr.LowerCaseFilterFactory"/>
      <filter class="solr.PorterStemFilterFactory"/>
    </analyzer>
  </fieldType>
  <field name="id" type="string" required="true"/>
  <field name="name" type="text"/>
  <field name="body" type="text"/>
  <field name="link" type="string"/>
  <uniqueKey>id</uniqueKey>
</schema>
"""


class Solr:
    """A server with the core `pages`; a context manager that stops it at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jars = jars("solr-pom.xml", f"solr-{VERSION}")
        (self._port,) = free_ports(1)
        conf = folder / "pages" / "conf"
        conf.mkdir(parents=True)
        (folder / "solr.xml").write_text("<solr/>")
        (folder / "pages" / "core.properties").touch()
        (conf / "solrconfig.xml").write_text(_CONFIG)
        (conf / "schema.xml").write_text(_SCHEMA)

    @property
    def url(self) -> str:
        """The address of the core."""
        return f"http://127.0.0.1:{self._port}/solr/pages"

    def __enter__(self) -> Self:
        java = ["java", f"-Xmx{HEAP}m", "-XX:+UseSerialGC", f"-Dsolr.log.dir={self._folder}"]
        program = ["-cp", f"{self._jars}/*", str(HERE / "SolrNode.java"), str(self._folder), str(self._port)]
        with (self._folder / "node.log").open("wb") as log:
            self._process = subprocess.Popen([*java, *program], stdout=log, stderr=log)
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def add(self, documents: list[dict[str, str]]) -> None:
        """Index documents."""
        body, headers = json.dumps(documents).encode(), {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/update?commit=true", body, headers)
        with urllib.request.urlopen(request, timeout=START):
            pass

    def _wait(self) -> None:
        end = time.monotonic() + START
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/select?q=*:*&rows=0", timeout=START):
                    return
            except OSError:  # urllib.error.HTTPError is one: the core is being loaded
                time.sleep(0.2)
        log = (self._folder / "node.log").read_text("utf-8", "replace")
        raise TimeoutError(f"no Solr in {START} s\n{log[-2000:]}")
