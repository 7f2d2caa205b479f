"""The program itself: help, exit codes, settings, and where output goes."""

import pytest
import typer

from querykin.cli.main import program


def _commands(group=None, path=()):
    """Every command of the program, and every group of commands, as the words that name it."""
    group = group or typer.main.get_command(program())
    yield list(path)
    for name, command in group.commands.items():
        yield from _commands(command, (*path, name)) if hasattr(command, "commands") else [[*path, name]]


@pytest.mark.parametrize("command", list(_commands()), ids=" ".join)
def test_every_command_has_help(command, querykin):
    found = querykin(*command, "--help")
    assert (found.code, found.err) == (0, "")
    assert f"Usage: querykin {' '.join(command)}".strip() in found.out


def test_version_is_one_line(querykin):
    found = querykin.program("--version")
    assert (found.code, found.out.split()[0], len(found.lines)) == (0, "querykin", 1)


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["corpus", "add"], ["similarity", "one"], ["score", "x.tsv"], ["check", "--nonsense"]],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2_and_writes_no_data(arguments, querykin):
    found = querykin(*arguments)
    assert (found.code, found.out) == (2, "")
    assert "Usage: querykin" in found.err
    assert "Traceback" not in found.err


def _options(words):
    command = typer.main.get_command(program())
    for word in words:
        command = command.commands[word]
    return {name for parameter in command.params for name in parameter.opts}


CONFIGURABLE = [words for words in _commands() if "--config" in _options(words)]
ARGUMENTS = {
    "backup": ["saved.tar.zst"],
    "corpus add": ["documents.jsonl"],
    "corpus remove": ["1"],
    "corpus show": ["2"],
    "repository add": ["pairs.tsv"],
    "repository remove": ["space"],
    "log add": ["log.csv"],
    "log remove": ["--source", "log.csv"],
    "block add": ["moon"],
    "block remove": ["moon"],
    "train combination": ["pairs.tsv", "--measures", "cosine", "--name", "x"],
    "train keywords": ["pairs.tsv"],
    "train tweak": ["pairs.tsv"],
    "suggest": ["space", "--measure", "cosine"],
    "match": ["pairs.tsv", "--measure", "cosine"],
    "search": ["space"],
    "similarity": ["space", "nasa", "--measure", "cosine"],
    "score": ["pairs.tsv", "--measures", "cosine"],
    "keywords": ["documents.jsonl"],
    "evaluate": ["pairs.tsv"],
    "filter": ["pairs.tsv"],
    "serve": ["--host", "192.0.2.1"],  # an address for documentation, on which nothing can listen
}


@pytest.mark.parametrize("command", CONFIGURABLE, ids=" ".join)
def test_quiet_silences_warnings_of_settings(command, own):
    own.write("settings.toml", "[neighbours]\ndistance = 3\n")
    own.write("pairs.tsv", "query\tcandidate\nspace\tnasa\n")
    own.write("log.csv", "session,query\n1,moon\n")
    own.write("documents.jsonl", '{"id": "9", "title": "Moon", "text": "The Moon circles the Earth."}\n')
    line = [*command, *ARGUMENTS.get(" ".join(command), ()), "--config", "settings.toml"]
    warning = "[neighbours] is deprecated; use [cooccurrence]"
    assert own(*line).err.count(warning) == 1
    quiet = own(*line, "--quiet")
    assert quiet.code != 2
    assert warning not in quiet.err


SETTINGS = {
    "[measures.web-kernel]\nresult = 3": "did you mean 'results'",
    "[measures.web-kernle]\nresults = 3": "did you mean 'web-kernel'",
    "[expnsion]\nwindow = 3": "did you mean 'expansion'",
    '[expansion]\nwindow = "wide"': "window must be a number",
    "[expansion]\nwindow = -1": "window must be a number from 1 to",
    "[expansion]\nwindow = 99999999999999999999": "window must be a number",
    "[expansion]\nmin_idf_coverage = nan": "min_idf_coverage must be a number from 0 to",
    "[cooccurrence]\ndistance = 0": "distance must be a number from 1 to 20",
    "[cooccurrence]\ndistance = 21": "distance must be a number from 1 to 20, like 3, got 21",
    '[cooccurrence]\ndistance = "x"': "distance must be a number from 1 to 20, like 3, got 'x'",
    '[measures.distributional]\nweighting = "npmy"': "must be one of chi-square, root, npmi, got 'npmy'",
    "[cooccurrence]\nmemory = 15": "memory must be a number from 16 to 1048576, like 1024, got 15",
    "[cooccurrence]\nmemory = 0.5": "memory must be a number from 16 to 1048576, like 1024, got 0.5",
    "[cooccurrence]\ndistance = 2.5": "distance must be a number from 1 to 20, like 3, got 2.5",
    "[cooccurrence]\nwindow = 3": "unknown setting in",
    "cooccurrence = 5": "[cooccurrence] must be a section",
    "[measures.web-kernel]\nresults = 0": "results must be a number from 1 to",
    "[measures.web-kernel]\nresults = true": "results must be a number",
    "measures = 5": "[measures] must be a section",
    "expansion = 5": "[expansion] must be a section",
    "[measures]\nweb-kernel = 5": "[measures.web-kernel] must be a section",
    "[expansion": "cannot be read as TOML",
    "a = '\udce9'": "cannot be read as TOML",
}


@pytest.mark.parametrize(("content", "message"), SETTINGS.items(), ids=SETTINGS.values())
def test_wrong_settings_are_named(content, message, querykin):
    name = querykin.write("settings.toml", content.encode("utf-8", "surrogateescape"))
    error = querykin.refuses("similarity", "NASA", "space", "--config", name)
    assert message in error
    assert name in error or "unknown measure" in error


def test_settings_that_are_no_file_are_refused(querykin):
    assert "nothing.toml" in querykin.refuses("similarity", "NASA", "space", "--config", "nothing.toml")
    assert "directory" in querykin.refuses("similarity", "NASA", "space", "--config", ".")


def test_settings_change_scores(querykin):
    name = querykin.write("settings.toml", "[measures.web-kernel]\nown = 5\n")
    plain = querykin("similarity", "NASA", "space", "--format", "tsv")
    assert plain.code == 0
    assert plain.out != querykin("similarity", "NASA", "space", "--format", "tsv", "--config", name).out


def test_the_installed_program_fails_and_succeeds_like_the_forked_one(querykin):
    for arguments in (["score", "--help"], ["score"], ["score", "missing.tsv", "--measures", "cosine"]):
        assert querykin.program(*arguments) == querykin(*arguments)


def test_a_reader_that_leaves_early_is_no_error(querykin):
    rows = "".join(f"space exploration {n}\tNASA {n}\n" for n in range(20_000))
    querykin.write("pairs.tsv", "query\tcandidate\n" + rows)
    long = querykin.shell("$Q score pairs.tsv --measures cosine --quiet | head -1")
    assert (long.code, long.out, long.err) == (0, "query\tcandidate\tcosine\n", "")
    querykin.write("pair.tsv", "query\tcandidate\na\tb\n")
    short = querykin.shell("$Q score pair.tsv --measures cosine --quiet | true")
    assert (short.code, short.out, short.err) == (0, "", "")
    assert querykin.shell("$Q similarity NASA space --quiet | true").err == ""


def test_a_full_disk_is_one_line(querykin):
    querykin.write("pair.tsv", "query\tcandidate\na\tb\n")
    found = querykin.shell("$Q score pair.tsv --measures cosine --quiet > /dev/full")
    assert (found.code, found.err.count("\n")) == (1, 1)
    assert "No space left on device" in found.err


def test_output_is_utf8_whatever_the_terminal_speaks(querykin):
    querykin.write("pair.tsv", "query\tcandidate\ncafé 😀\tשלום\n")
    found = querykin.program("score", "pair.tsv", "--measures", "cosine", PYTHONIOENCODING="ascii")
    assert found.lines[1] == "café 😀\tשלום\t0"
