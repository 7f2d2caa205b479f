import pytest

from querykin import Document, Workspace
from querykin.spelling.corrector import MAX_UNKNOWN
from querykin.types import Correction, Replacement

DOCUMENTS = {
    "NASA": "NASA leads space exploration with rockets and probes. Space is large.",
    "Mars": "Mars is a planet explored by space probes and rovers.",
    "Loudspeaker": "An active speaker with bluetooth and a subwoofer.",
    "Toner": "Toner cartridge TN2110 for Brother printers, HL-2140.",
    "Ink": "Ink cartridge MFC-J4510DW and PGI 550 for Canon printers. TN is a state; 550 2110 are numbers.",
    "Mower": "A lawn mower with a petrol engine; a keyboard is sold separately.",
    "Pie": "An apple pie is baked in the oven of a café in München.",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = Workspace.open(tmp_path_factory.mktemp("spelling"))
    opened.corpus.add(Document(title, title, text) for title, text in DOCUMENTS.items())
    return opened.reopen()


def corrected(workspace, query):
    found = workspace.spelling.correct(query)
    return found.text if found else None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("spce exploraton", "space exploration"),
        ("speeker", "speaker"),
        ("active spaeker", "active speaker"),
        ("keybord", "keyboard"),
        ("blue tooth speaker", "bluetooth speaker"),
        ("lawnmower", "lawn mower"),
        ("a Keybord, please!", "a keyboard, please!"),
    ],
)
def test_words_without_evidence_are_replaced_by_near_ones(workspace, typed, meant):
    assert corrected(workspace, typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tn-2110", "tn2110"),  # tn and 2110 have evidence, apart from each other
        ("TN 2110 toner", "tn2110 toner"),
        ("hl2140", "hl 2140"),
        ("pgi550", "pgi 550"),
        ("mfcj4510dw", "mfc j4510dw"),
        ("mfc j4510 dw", "mfc j4510dw"),
        ("MFC-J4510-DW", "MFC-j4510dw"),
        ("TN2110", None),
        ("HL-2140", None),
        ("hl 2140", None),
        ("tn2111", None),
        ("xy 2110", None),
        ("5502110", None),  # a number is not divided
    ],
)
def test_model_numbers_are_found_with_and_without_spaces(workspace, typed, meant):
    assert corrected(workspace, typed) == meant


@pytest.mark.parametrize(
    "query",
    [
        "space exploration",
        "apple pies",  # another form of a known stem
        "zuckerberg speaker",  # far from everything
        "pear pie",  # too short to be a misspelling of anything
        "spx",
        "nasa 1969",
        "日本 語",
        "🚀",
        "",
        "!!!",
        "'",
        "\x00",
        "a" * 1000,
    ],
)
def test_queries_that_are_right_or_hopeless_stay(workspace, query):
    assert workspace.spelling.correct(query) is None


def test_every_replacement_is_named(workspace):
    found = workspace.spelling.correct("spce exploraton")
    assert found == Correction(
        "space exploration", (Replacement("spce", "space"), Replacement("exploraton", "exploration"))
    )
    assert str(found.replacements[0]) == "no evidence for 'spce', using 'space'"


def test_a_query_in_another_language_stays(workspace):
    assert corrected(workspace, " ".join(["speeker"] * (MAX_UNKNOWN + 1))) is None
    assert corrected(workspace, " ".join(["speeker"] * MAX_UNKNOWN)) == " ".join(["speaker"] * MAX_UNKNOWN)


def test_decomposed_letters_are_corrected_as_composed_ones(workspace):
    assert corrected(workspace, "cafe\u0301 keybord") == "café keyboard"


def test_the_context_decides_between_near_words(tmp_path):
    texts = [*["the seaker of truth"] * 30, *["a loud speaker cable"] * 30, *["the sneaker shop"] * 30]
    opened = Workspace.open(tmp_path)
    opened.corpus.add(Document(str(number), "", text) for number, text in enumerate(texts))
    opened = opened.reopen()
    assert corrected(opened, "seeaker truth") == "seaker truth"
    assert corrected(opened, "sbeaker cable") == "speaker cable"
    assert corrected(opened, "sbeaker shop") == "sneaker shop"


def test_words_of_past_queries_are_known(workspace, tmp_path):
    other = workspace.beside(tmp_path)
    assert corrected(other, "zukerberg") is None
    other.repository.add([("zuckerberg", 3), ("speeker", 40), ("speaker", 5)])
    other = workspace.beside(tmp_path)
    assert corrected(other, "zukerberg") == "zuckerberg"
    assert corrected(other, "speeker") is None  # asked more often than what it may stand for
    other.repository.remove(["zuckerberg", "speeker"])
    other = workspace.beside(tmp_path)
    assert corrected(other, "zukerberg") is None
    assert corrected(other, "speeker") == "speaker"


def test_past_queries_show_which_words_stand_side_by_side(workspace, tmp_path):
    other = workspace.beside(tmp_path)
    assert corrected(other, "speakerkeyboard") is None
    other.repository.add([("Speaker, Keyboard and mouse", 1), ("a mouse", 1)])
    assert corrected(workspace.beside(tmp_path), "speakerkeyboard") == "speaker keyboard"


def test_words_of_removed_documents_are_not_used(tmp_path):
    opened = Workspace.open(tmp_path)
    opened.corpus.add([Document("1", "", "a loud speaker"), Document("2", "", "a tall tree")])
    opened.corpus.remove(["1"])
    assert corrected(opened.reopen(), "speeker") is None


def test_an_empty_workspace_corrects_nothing(tmp_path):
    assert Workspace.open(tmp_path).spelling.correct("speeker cable") is None


def test_a_query_of_known_words_does_not_read_the_vocabulary(workspace):
    spelling = workspace.reopen().spelling
    spelling.correct("space exploration")
    assert "_words" not in vars(spelling._lexicon)
    spelling.correct("speeker")
    assert "_words" in vars(spelling._lexicon)
