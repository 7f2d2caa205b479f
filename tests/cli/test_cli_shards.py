"""`serve --shard` and `--shards`: what cannot be a shard, and what a shard needs."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--shard", "3/2"], 1, "a shard is i/n with 1 <= i <= n"),
        (["--shards", "localhost:8000"], 1, "a shard is given as http://HOST:PORT"),
        (["--shards", "http://a,http://a"], 1, "may be given once"),
        (["--shard", "1/2", "--shards", "http://a"], 2, "a process is a shard or the router of shards"),
    ],
)
def test_options_that_cannot_be_used_are_refused(own, arguments, code, message):
    outcome = own("serve", *arguments)
    assert outcome.code == code
    assert message in " ".join(outcome.err.replace("│", " ").split())


@pytest.mark.parametrize("arguments", [["--shard", "1/2"], ["--shards", "http://127.0.0.1:9"]])
def test_shards_and_routers_build_nothing(own, arguments):
    own.write("queries.txt", "space\nprobes\n")
    assert own("repository", "add", "queries.txt").code == 0
    outcome = own("serve", "--port", "0", *arguments)
    assert outcome.code == 1
    assert "next: querykin build" in outcome.err
