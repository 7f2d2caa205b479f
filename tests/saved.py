"""The workspace that backups are made of, its files and their damage."""

MEASURE = "jaccard"
INDEX_FILE = "index/words/parts/segment-*/query_ids.npy"
CORPUS_FILE = "corpus/parts/segment-*/tokens.npy"


def stored_content(path):
    files = (each for each in path.rglob("*") if each.is_file())
    skipped = ("lock", "notes.txt", "judgements.db", "judgements.db-wal", "judgements.db-shm")
    return {
        each.relative_to(path): each.read_bytes()
        for each in files
        if each.name not in skipped and not each.name.endswith((".lock", ".exists"))
    }


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def file_of(workspace, pattern):
    return next(each for each in sorted(workspace.path.glob(pattern)) if each.stat().st_size > 130)
