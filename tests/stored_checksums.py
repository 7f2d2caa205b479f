"""The content of a corpus on disk, to be compared with that of another."""


def checksums(corpus):
    """Sizes and checksums of all files; those of tantivy, whose names are random, by their suffix."""
    manifest = corpus._store.manifest()
    content = []
    for kind in ("segments", "vocabulary", "statistics", "tombstones", "sources"):
        names = manifest.metadata[kind]
        for name in names if kind == "segments" else [names]:
            files = {
                (file.rpartition(".")[2] if file.startswith("engine") else file): record
                for file, record in manifest.parts[name].items()
                if not file.endswith(".json")
            }
            content.append((kind, files))
    kept = {name: manifest.metadata[name] for name in ("source_names", "next_doc_id", "languages")}
    return content, kept
