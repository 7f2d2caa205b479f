"""`train combination` and what it leaves: a measure for every command, and one line where it cannot."""

import json
import shutil
from dataclasses import replace

import pytest

from querykin import Workspace
from querykin.learning.combination.training import CombinationTask, train_combination

HEAD = "query\tcandidate\tgrade\n"
JUDGED = (
    HEAD
    + """space exploration\tNASA\t2
space exploration\trockets and probes\t1
space exploration\tapple pie\t0
space exploration\toven\t0
apple pie\tsugar and apples\t2
apple pie\tan apple pie\t2
apple pie\tJava island\t0
apple pie\tESA\t0
Java\tprogramming language\t2
Java\tisland\t1
Java\trockets\t0
Java\tsugar\t0
rockets\tESA\t2
rockets\tspace\t1
rockets\tan island\t0
rockets\tbaked\t0
"""
)
MEASURES = "web-kernel,jaccard-stems,edit"


@pytest.fixture(scope="module")
def taught(stocked, tmp_path_factory):
    """A workspace with the combination `mine`; tests only read it."""
    folder = tmp_path_factory.mktemp("taught")
    shutil.copytree(stocked / "workspace", folder / "workspace")
    (folder / "judged.tsv").write_text(JUDGED)
    task = CombinationTask(str(folder / "judged.tsv"), "mine", MEASURES.split(","))
    train_combination(Workspace.open(folder / "workspace"), task)
    return folder / "workspace"


@pytest.fixture
def trained(querykin, taught):
    """The program over that workspace, and the judged pairs."""
    querykin.write("judged.tsv", JUDGED)
    return replace(querykin, workspace=taught)


def models(querykin):
    """What is kept, file by file."""
    return {path.name: path.read_bytes() for path in (querykin.workspace / "models").glob("*")}


def test_a_report_for_people_and_a_measure_for_every_command(own):
    own.write("judged.tsv", JUDGED)
    found = own("train", "combination", "judged.tsv", "--measures", MEASURES, "--name", "mine")
    assert (found.code, found.err) == (0, ""), found
    assert found.lines[0] == "16 pairs in 4 groups, relevant from grade 2"
    for part in (
        "permutation importance",
        "mean AUC on held-out groups (4 folds)",
        "quality by minimum probab",
    ):
        assert part in found.out
    assert found.lines[-1].startswith("saved as 'mine'; candidates are retrieved by ")
    assert list(models(own)) == ["mine.json"]
    shown = own("similarity", "space", "NASA", "--measure", "mine", "--format", "json")
    assert 0 < json.loads(shown.out)["scores"]["mine"] < 1
    assert "mine" in own("similarity", "space", "NASA").out
    why = own("similarity", "space", "NASA", "--measure", "mine", "--explain")
    assert "an average pair" in why.out
    own.write("queries.txt", "nasa rockets\napple sugar\njava language\nisland\n")
    assert own("repository", "add", "queries.txt").code == 0
    assert own("build", "--measures", "mine").code == 0
    found = own("suggest", "space rockets", "--measure", "mine", "--format", "json")
    assert json.loads(found.out)[0]["suggestions"][0]["query"] == "nasa rockets"
    assert own("match", "queries.txt", "--measure", "mine", "-k", "2", "--format", "tsv").code == 0
    assert own("check").code == 0


@pytest.mark.parametrize("options", [(), ("--learner", "trees"), ("--loss", "metric", "--relevant", "1")])
def test_all_that_was_learnt_as_json(options, own):
    own.write("judged.tsv", JUDGED)
    arguments = [
        "train",
        "combination",
        "judged.tsv",
        "--measures",
        "jaccard-stems,edit",
        "--name",
        "x",
        "--format",
        "json",
        "--quiet",
        *options,
    ]
    found = own(*arguments)
    assert (found.code, found.err) == (0, "")
    facts = json.loads(found.out)
    assert (facts["kind"], facts["name"]) == ("combination", "x")
    assert facts["training"]["pairs"] == 16
    assert facts["training"]["relevant"] == (1 if "--relevant" in options else 2)
    assert facts["content"]["first_stage"] == ["jaccard-stems"]
    assert json.loads((own.workspace / "models" / "x.json").read_text())["content"] == facts["content"]
    assert options or own(*arguments).out == found.out  # again the same


def test_a_combination_is_replaced_by_one_of_the_same_name(own):
    own.write("judged.tsv", JUDGED)
    for measures in ("edit", "jaccard-stems,jaccard"):
        command = ["train", "combination", "judged.tsv", "--measures", measures, "--name", "x", "--quiet"]
        assert own(*command).code == 0
        kept = json.loads((own.workspace / "models" / "x.json").read_text())
        assert kept["content"]["measures"] == measures.split(",")
    (own.workspace / "models" / "x.json").write_text("{")  # a damaged one too
    assert own(*command).code == 0
    assert own("similarity", "a", "b", "--measure", "x").code == 0


REFUSED = {
    ("--measures", "cosin", "--name", "x"): "unknown measure 'cosin'; did you mean 'cosine'?",
    ("--measures", " , ", "--name", "x"): "--measures needs at least one name",
    ("--measures", "cosine,mine", "--name", "x"): "'mine' is itself a combination; combine its measures",
    ("--measures", "cosine", "--name", "jaccard"): "'jaccard' is a measure already",
    ("--measures", "cosine", "--name", "My Own"): "a model's name is lower case letters",
    ("--measures", "cosine", "--name", "../x"): "a model's name is lower case letters",
    ("--measures", "cosine", "--name", ""): "a model's name is lower case letters",
    ("--measures", "cosine", "--name", "x", "--learner", "svm"): "--learner must be one of logistic, trees",
    ("--measures", "cosine", "--name", "x", "--loss", "sse"): "--loss must be one of preference, metric",
    ("--measures", "cosine", "--name", "x", "--relevant", "nan"): "--relevant must be a grade",
    ("--measures", "cosine", "--name", "x", "--relevant", "9"): "0 of 16 have a grade of at least 9",
    ("--measures", "cosine", "--name", "x", "--where", "kind=QR"): "has no column 'kind'",
    ("--measures", "cosine", "--name", "x", "--columns", "grade=score"): "has no column 'score'",
    ("--measures", "cosine", "--name", "x", "--format", "xml"): "--format must be one of text, json",
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_wrong_options_are_refused_and_nothing_is_kept(options, trained):
    before = models(trained)
    assert REFUSED[options] in trained.refuses("train", "combination", "judged.tsv", *options)
    assert models(trained) == before


BAD_FILES = {
    "empty.tsv": (b"", "has no column 'query', 'candidate', 'grade'"),
    "header.tsv": (HEAD.encode(), "holds no judged pairs"),
    "short.tsv": (b"query\tcandidate\na\tb\n", "has no column 'grade'"),
    "word.tsv": ((HEAD + "a\tb\tgood\n").encode(), "row 2: the grade must be a number, got 'good'"),
    "binary.tsv": (bytes(range(256)), "is this a binary file?"),
    "one-class.tsv": ((HEAD + "a\tb\t1\na\tc\t1\nd\te\t1\n").encode(), "learning needs relevant pairs"),
    "one-query.tsv": ((HEAD + "a\tb\t1\na\tc\t0\na\td\t2\n").encode(), "at least two queries (groups)"),
    "level.tsv": ((HEAD + "a\tb\t1\na\tc\t1\nd\te\t0\nd\tf\t0\n").encode(), "no preference to learn"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_and_nothing_is_kept(name, querykin):
    content, message = BAD_FILES[name]
    file = querykin.write(name, content)
    assert message in querykin.refuses("train", "combination", file, "--measures", "cosine", "--name", "x")
    assert models(querykin) == {}


def test_folders_and_missing_files_are_refused(querykin):
    for file, message in ((".", ". is a folder"), ("no.tsv", "cannot read no.tsv")):
        assert message in querykin.refuses("train", "combination", file, "--measures", "edit", "--name", "x")


def test_pairs_without_rivals_are_learnt_from_by_the_metric_loss(own):
    """What the refusal of preferences advises works, and warns of nothing."""
    rows = "".join(f"query {n}\t{'query' if n % 3 else 'other'} {n}\t{int(n % 3 > 0)}\n" for n in range(30))
    own.write("single.tsv", HEAD + rows)
    command = ["train", "combination", "single.tsv", "--measures", "edit,jaccard", "--name", "x"]
    assert "next: --loss metric" in own.refuses(*command)
    found = own(*command, "--loss", "metric")
    assert (found.code, found.err) == (0, ""), found
    assert [line.split() for line in found.lines if line.startswith("x ")] == [["x", "-"]]


def test_a_learner_with_too_little_to_hold_out_says_so(own):
    own.write("two.tsv", HEAD + "a\ta b\t1\na\tc\t0\nd\te\t0\nd\tf\t0\n")
    found = own("train", "combination", "two.tsv", "--measures", "jaccard,edit", "--name", "x")
    assert (found.code, found.err) == (0, "")
    assert "too few queries for cross-validation" in found.out


@pytest.mark.parametrize("content", [b"{", b"", b"[]", b'{"format": "querykin-model", "version": 9}'])
def test_a_damaged_model_is_named_in_one_line(content, own):
    (own.workspace / "models").mkdir()
    (own.workspace / "models" / "mine.json").write_bytes(content)
    for command in (("similarity", "a", "b", "--measure", "mine"), ("suggest", "a", "--measure", "mine")):
        assert "train it again" in own.refuses(*command)
    assert own("similarity", "a", "b", "--measure", "cosine").code == 0
    assert own("check").code == 1


def evaluated(trained, *options):
    found = trained(
        "evaluate", "judged.tsv", "--measures", "mine,jaccard-stems", "--format", "json", *options
    )
    assert found.code == 0, found
    return json.loads(found.out)["results"], found.err


def test_folds_judge_a_combination_on_what_it_has_not_seen(trained):
    (seen, words), remark = evaluated(trained)
    assert remark.startswith("trained on these judgements")
    assert "mine; next: --folds 10" in remark
    (unseen, same), remark = evaluated(trained, "--folds", "3")
    assert "trained on these" not in remark
    assert unseen["auc"] != seen["auc"]
    assert same["auc"] == words["auc"]  # nothing was learnt there
    assert evaluated(trained, "--folds", "3")[0] == [unseen, same]
    trained.write("judged.tsv", JUDGED.replace("\t1\n", "\t0\n"))
    assert "trained on these" not in evaluated(trained)[1]  # other judgements


def test_folds_that_cannot_be_are_refused(trained):
    trained.write("mine.run", "q Q0 d 1 1.0 x\n")
    judged = ["evaluate", "judged.tsv", "--measures", "mine"]
    assert "--folds must be from 2 to the number of groups, 4" in trained.refuses(*judged, "--folds", "5")
    assert "--folds needs --measures" in trained.refuses(
        "evaluate", "judged.tsv", "--run", "mine.run", "--folds", "2"
    )
    assert "omit --run and --pool" in trained.refuses(*judged, "--pool", "judged.tsv", "--folds", "2")
    words = ["evaluate", "judged.tsv", "--measures", "edit,cosine"]
    assert "none of edit, cosine is one" in trained.refuses(*words, "--folds", "2")
    assert trained(*judged, "--folds", "1").code == 2


def test_a_combination_searches_a_pool(trained):
    trained.write("more.txt", "space\nrocket science\nsugar\n")
    options = ["--measures", "mine,jaccard-stems", "--pool", "more.txt", "--format", "json"]
    found = trained("evaluate", "judged.tsv", *options)
    assert found.code == 0, found
    mine, words = json.loads(found.out)["results"]
    assert mine["recall@10"] >= words["recall@10"]


def test_the_prior_is_a_setting(trained):
    trained.write("rare.toml", "[measures.mine]\nprior = 0.01\n")
    pair = ["similarity", "space", "NASA", "--measure", "mine", "--format", "json"]
    usual, rare = (
        json.loads(trained(*pair, *more).out)["scores"]["mine"] for more in ((), ("--config", "rare.toml"))
    )
    assert rare < usual
    trained.write("wrong.toml", "[measures.mine]\nresults = 3\n")
    assert "Known: prior" in trained.refuses(*pair, "--config", "wrong.toml")
