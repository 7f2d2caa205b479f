"""`querykin cluster` as users run it."""

import json

from querykin.clustering.hand_changes import HandChange, HandChanges

WORDS = b"apple tart\t3\ntart apple\napple tarts\nnasa rocket\nrockets of nasa\n"
BY_STEMS = ("--measure", "jaccard-stems", "--threshold", "0.5")


def test_formats_say_the_same(own):
    path = own.write("words.txt", WORDS)
    entries = json.loads(own("cluster", path, *BY_STEMS, "--format", "json").out)
    assert [(each["head"], each["count"]) for each in entries] == [("apple tart", 5), ("nasa rocket", 2)]
    assert [member["query"] for member in entries[0]["members"]] == ["apple tarts", "tart apple"]
    lines = own("cluster", path, *BY_STEMS, "--format", "jsonl").lines
    assert [json.loads(line) for line in lines] == entries
    head, *rows = own("cluster", path, *BY_STEMS, "--format", "tsv").lines
    assert head.split("\t") == ["head", "query", "score", "count"]
    assert [row.split("\t") for row in rows] == [
        ["apple tart", "apple tart", "", "3"],
        ["apple tart", "apple tarts", "1", "1"],
        ["apple tart", "tart apple", "1", "1"],
        ["nasa rocket", "nasa rocket", "", "1"],
        ["nasa rocket", "rockets of nasa", "0.666666667", "1"],
    ]
    found = own("cluster", path, *BY_STEMS)
    assert found.lines[0] == "apple tart  3 keywords  5x"
    assert found.lines[1] == "  1.000  apple tarts"
    assert found.messages[-1] == "2 clusters with 5 keywords, 0 alone, by jaccard-stems at 0.5 or more"


def test_the_past_queries_are_clustered_without_a_file(own):
    own("repository", "add", own.write("words.txt", WORDS))
    entries = json.loads(own("cluster", *BY_STEMS, "--format", "json").out)
    assert [each["head"] for each in entries] == ["apple tart", "nasa rocket"]


def test_standard_input_and_columns(own):
    found = own(
        "cluster", "-", "--columns", "query=Begriff,count=Volumen", *BY_STEMS, "--format", "tsv",
        stdin=b"Begriff;Volumen\nrote schuhe;40\nschuhe rote;2\n",
    )  # fmt: skip
    assert [row.split("\t")[1::2] for row in found.lines[1:]] == [["rote schuhe", "40"], ["schuhe rote", "2"]]


def test_wrong_input_is_refused(own):
    assert "no keywords in empty.txt" in own.refuses("cluster", own.write("empty.txt", b"\n\n"), *BY_STEMS)
    assert "none.txt" in own.refuses("cluster", "none.txt")
    assert "unknown measure" in own.refuses("cluster", own.write("a.txt", b"a\n"), "--measure", "jacard")
    assert "--format must be one of" in own.refuses("cluster", "--format", "xml")
    assert "is empty; next: querykin repository add" in own.refuses(
        "cluster", "--workspace", "none", *BY_STEMS
    )


CONSOLE = (
    "Top queries,Clicks,Impressions,CTR,Position\n"
    "garden hose,50,1000,5%,3.1\ngarden hoses,20,500,4%,4\n=hose|garden,5,80,6%,9\napple tree?,2,90,2%,8\n"
)


def test_counts_of_the_file_are_kept_and_summed(own):
    path = own.write("Queries.csv", CONSOLE)
    hose, tree = json.loads(own("cluster", path, *BY_STEMS, "--format", "json").out)
    assert (hose["head"], hose["count"], hose["sums"]) == (
        "garden hose", 1580, {"Clicks": 75, "Impressions": 1580}
    )  # fmt: skip
    assert hose["members"][0]["sums"] == {"Clicks": 20, "Impressions": 500}
    assert tree["sums"] == {"Clicks": 2, "Impressions": 90}
    head, first, *_ = own("cluster", path, *BY_STEMS, "--format", "tsv").lines
    assert head.split("\t") == ["head", "query", "score", "count", "Clicks", "Impressions"]
    assert first.split("\t") == ["garden hose", "garden hose", "", "1000", "50", "1000"]


def test_exports_for_other_programs(own):
    path = own.write("Queries.csv", CONSOLE)
    ads = own(
        "cluster", path, *BY_STEMS, "--format", "google-ads", "--campaign", "Garden", "--match-type", "Exact"
    )
    assert ads.lines == [
        "Campaign,Ad group,Keyword,Match type",
        "Garden,garden hose,garden hose,Exact",
        "Garden,garden hose,garden hoses,Exact",
    ]
    assert sum(line.startswith("left out") for line in ads.messages) == 2
    rows = own("cluster", path, *BY_STEMS, "--format", "rows").lines
    assert rows[0] == "Top queries,Clicks,Impressions,CTR,Position,group"
    assert rows[3] == '"\'=hose|garden",5,80,6%,9,garden hose'
    csv = own("cluster", path, *BY_STEMS, "--format", "csv").out
    assert '"\'=hose|garden"' in csv
    synonyms = own("cluster", path, *BY_STEMS, "--format", "synonyms", "--min-score", "0.9", "--one-way")
    assert synonyms.lines == ["garden hoses => garden hose", "\\=hose|garden => garden hose"]


def test_members_are_explained(own):
    path = own.write("Queries.csv", CONSOLE)
    found = own("cluster", path, *BY_STEMS, "--explain")
    assert found.lines[2].strip().startswith("because of hose")
    (hose, _) = json.loads(own("cluster", path, *BY_STEMS, "--explain", "--format", "json").out)
    for member in hose["members"]:
        shares = sum(each["share"] for each in member["explanation"]["contributions"])
        assert abs(shares - member["score"]) < 1e-6
    assert own("cluster", path, *BY_STEMS, "--explain", "--format", "tsv").lines[0].endswith("\tbecause")


def test_a_wrong_match_type_is_refused(own):
    assert "the match type must be one of Broad, Phrase, Exact, got 'broad'" in own.refuses(
        "cluster", "words.txt", "--match-type", "broad"
    )


def test_check_finds_damage_of_a_list_and_its_neighbors(own):
    own("cluster", own.write("words.txt", WORDS), *BY_STEMS)
    (scores,) = own.workspace.glob("keyword-lists/*/neighbors/*/parts/*/scores.npy")
    scores.write_bytes(scores.read_bytes()[:-4])
    assert "scores.npy has" in own("check").out


def test_changes_by_hand_are_applied_and_counted(own):
    own("repository", "add", own.write("words.txt", WORDS))
    HandChanges(own.workspace).add(HandChange("apple tarts"))
    found = own("cluster", *BY_STEMS)
    assert "apple tart  2 keywords  4x" in found.lines
    assert "with 1 change by hand, made on the page Clusters" in found.messages
