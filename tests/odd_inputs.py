"""Documents and past queries with markup and scripts, for tests of escaping."""

from querykin import Document

SCRIPT = '<script>document.title="taken"</script>'
IMAGE = "<img src=x onerror=\"document.title='taken'\">"
DOCUMENTS = [
    Document(
        "evil-1",
        f"Volcano {SCRIPT}",
        f"The volcano Tambora {IMAGE} erupts over islands {SCRIPT} of Indonesia.",
        "javascript:document.title='taken'",
    ),
    Document("evil-2", "Volcano guide", "A volcano of islands erupts.", 'https://example.org/"onclick="x'),
]
QUERIES = [(f"volcano {IMAGE}", 4), (f"volcanoes of Indonesia {SCRIPT}", 3)]
