"""`querykin backup`, `restore` and `check --repair` as users run them."""

import json


def test_a_workspace_comes_back_from_its_backup(own):
    found = own("backup", "saved.tar.zst")
    assert (found.code, found.out) == (0, "")
    assert "saved.tar.zst: " in found.err
    assert "--replace" in own.refuses("backup", "saved.tar.zst")
    before = own("corpus", "export").out
    assert own("corpus", "remove", "1").code == 0
    assert "holds a workspace; next: --replace" in own.refuses("restore", "saved.tar.zst")
    assert "is intact" in own("restore", "saved.tar.zst", "--dry-run").err
    assert own("restore", "saved.tar.zst", "--replace").code == 0
    assert own("corpus", "export").out == before
    assert own("check").code == 0


def test_the_line_of_a_damage_is_the_command_that_restores_it(own):
    assert own("backup", "saved.tar.zst", "--quiet").err == ""
    file = next((own.workspace / "corpus").glob("parts/segment-*/tokens.npy"))
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(bytes(content))
    (line,) = own("check").lines
    assert line.endswith("(original data; next: querykin restore BACKUP --only corpus)")
    own.refuses("backup", "saved.tar.zst", "--replace")
    assert own("restore", "saved.tar.zst", "--only", "corpus").code == 0
    assert own("check").code == 0


def test_check_prints_json(own):
    (own.workspace / "models").mkdir(exist_ok=True)
    (own.workspace / "models" / "mine.json").write_text("{")
    (own.workspace / "notes.txt").write_text("mine")
    found = own("check", "--format", "json")
    assert found.code == 1
    content = json.loads(found.out)
    (damage,) = content["damage"]
    assert (damage["data"], damage["of"], damage["next"]) == (
        "original",
        "models",
        "querykin restore BACKUP --only models",
    )
    assert content["unknown"] == [str(own.workspace / "notes.txt")]
    assert "not part of the workspace, and left alone" in found.err


def test_restore_of_a_file_that_is_no_backup(own):
    own.write("other.txt", "hello")
    assert "is not a backup of querykin" in own.refuses("restore", "other.txt", "--replace")
    assert "there is no file" in own.refuses("restore", "missing.tar.zst")
    assert "Known: block-list, corpus" in own.refuses("restore", "other.txt", "--only", "indexes")
    assert "restore writes to a folder" in own.refuses(
        "restore", "other.txt", "--workspace", "s3://bucket/shop"
    )
