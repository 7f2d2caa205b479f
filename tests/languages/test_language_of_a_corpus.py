"""The language of a corpus: recognized or given, kept, and different from that of corpora without one."""

import pytest

from querykin import Document, InputError, Workspace, WorkspaceError
from querykin.errors import UnknownName
from querykin.measures.word_overlap import Jaccard
from querykin.settings import Settings
from querykin.settings_sections import TextSettings
from querykin.storage.store import Store
from querykin.text.analyzer import Analyzer
from querykin.text.language_recognition import recognize
from shop import SHOPS


def in_language(path, language: str) -> Workspace:
    return Workspace.open(path, Settings(text=TextSettings(language=language)))


def forget_language(workspace: Workspace) -> Workspace:
    """The workspace as a version that recorded no language left it."""
    store = Store(workspace.path / "corpus", "corpus")
    manifest = store.manifest()
    metadata = {name: value for name, value in manifest.metadata.items() if name != "languages"}
    store.commit(metadata, manifest.parts)
    return workspace.reopen()


def test_a_given_language_is_used_and_stored(tmp_path):
    in_language(tmp_path, "German").corpus.add(SHOPS["en"])
    assert Workspace.open(tmp_path).analyzer.codes == ("de",)
    assert Workspace.open(tmp_path).corpus.info()["language"] == "de"


def test_another_language_is_refused_later(tmp_path):
    Workspace.open(tmp_path).corpus.add(SHOPS["de"])
    with pytest.raises(WorkspaceError, match=r"is in German.* got French; next: .*--language fr"):
        _ = in_language(tmp_path, "fr").corpus
    assert in_language(tmp_path, "de").analyzer.codes == ("de",)


@pytest.mark.parametrize(("given", "nearest"), [("Germann", "German"), ("portugese", "Portuguese")])
def test_an_unknown_language_is_an_error_that_names_the_nearest(tmp_path, given, nearest):
    with pytest.raises(UnknownName, match=nearest):
        _ = in_language(tmp_path, given).corpus


def test_too_many_languages_are_an_error(tmp_path):
    with pytest.raises(InputError, match="at most 4 languages, got 5"):
        _ = in_language(tmp_path, "de,en,fr,es,pt").corpus


def test_the_language_stays_when_documents_in_another_are_added(tmp_path):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(SHOPS["de"])
    workspace.corpus.add(SHOPS["fr"])
    assert workspace.reopen().analyzer.codes == ("de",)


def test_an_addition_that_fails_leaves_the_language_open(tmp_path):
    def broken():
        yield from SHOPS["de"]
        raise InputError("the file is cut")

    workspace = Workspace.open(tmp_path)
    with pytest.raises(InputError):
        workspace.corpus.add(broken())
    workspace.corpus.add(SHOPS["fr"])
    assert workspace.reopen().analyzer.codes == ("fr",)


@pytest.mark.parametrize("texts", [[], ["1234 5678"], ["NASA", "Pie"], ["😀"] * 50, [""]])
def test_too_little_text_is_taken_for_english_and_said(texts):
    recognition = recognize(texts)
    assert str(recognition) == "English (too little text to recognize another)"


def test_recognition_is_told_in_shares_of_documents():
    texts = [f"{document.title}\n{document.text}" for document in SHOPS["de,en"]]
    assert str(recognize(texts)) == "German and English (of 42 documents, 52 % German, 48 % English)"


def test_each_document_of_a_mixed_corpus_is_stemmed_in_its_own_language(tmp_path):
    workspace = in_language(tmp_path, "de,en")
    workspace.corpus.add(SHOPS["de,en"])
    vocabulary = workspace.reopen().corpus.vocabulary
    stems = [
        vocabulary.word(int(vocabulary.lookup_stems(vocabulary.analyzer.tokenize([word]))[0][0]))
        for word in ("bicycles", "sträucher", "hiking", "hedges", "bicycling")
    ]
    assert stems == ["bicycl", "strauch", "hike", "hedg", "bicycl"]


def test_a_corpus_without_a_language_keeps_plain_porter_stems(tmp_path):
    workspace = in_language(tmp_path, "en")
    workspace.corpus.add([Document("1", "Café", "The cafés serve coffee.")])
    old = forget_language(workspace)
    assert Workspace.open(tmp_path).analyzer is Analyzer.of()
    assert old.analyzer.stems(["cafés", "gießen"]) == ["café", "gießen"]
    with pytest.raises(WorkspaceError, match="is in English and keeps its language; got German"):
        _ = in_language(tmp_path, "de").corpus
    old = in_language(tmp_path, "en")
    old.corpus.add([Document("2", "Tea", "Teas of Japan.")])
    assert Workspace.open(tmp_path).analyzer is Analyzer.of()


def test_rows_of_different_analyzers_are_in_different_spaces():
    stems = [
        Jaccard(stems=True, analyzer=Analyzer.of(*codes)) for codes in ((), ("en",), ("de",), ("de", "en"))
    ]
    spaces = [measure.space for measure in stems]
    assert spaces[0] == "stems"  # as in indexes that were built without a language
    assert len(set(spaces)) == 4
    assert len({measure.index_settings for measure in stems}) == 4


def test_surface_measures_of_a_workspace_are_in_its_language(tmp_path):
    workspace = in_language(tmp_path, "de")
    assert workspace.similarity("Gießkannen", "giesskanne", "jaccard-stems") == 1
    assert workspace.similarity("die Bücher", "das Buch", "exact-stems") == 0
    assert workspace.similarity("Bücher", "Buch", "exact-stems") == 1


def test_an_index_in_another_language_is_refused_until_it_is_built_again(tmp_path):
    workspace = Workspace.open(tmp_path)
    workspace.repository.add([("Bücher", 1), ("Gießkannen", 1)])
    workspace = workspace.reopen()
    assert not workspace.suggest("buch", measure="jaccard-stems").suggestions  # English, without documents
    workspace.corpus.add(SHOPS["de"])
    workspace = workspace.reopen()
    with pytest.raises(WorkspaceError, match="next: querykin build --measures jaccard-stems"):
        workspace.suggest("giesskanne garten", measure="jaccard-stems")
    workspace.build("jaccard-stems")
    found = workspace.reopen().suggest("giesskanne garten", measure="jaccard-stems").suggestions
    assert [suggestion.query for suggestion in found] == ["Gießkannen"]
