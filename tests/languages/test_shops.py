"""From documents and queries in a language to search, suggestions and similarity."""

import pytest

from querykin import Workspace
from querykin.querylog.query_mining import mine_queries
from shop import SHOPS


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Workspaces by language, each filled with documents whose language is recognized."""
    opened: dict[str, Workspace] = {}

    def open_shop(language: str) -> Workspace:
        if language not in opened:
            workspace = Workspace.open(tmp_path_factory.mktemp(language.replace(",", "-")))
            workspace.corpus.add(SHOPS[language])
            workspace = workspace.reopen()
            workspace.repository.add(mine_queries(workspace.corpus, 1000))
            opened[language] = workspace.reopen()
        return opened[language]

    return open_shop


def titles(workspace: Workspace, query: str, limit: int = 3) -> list[str]:
    return [hit.title for hit in workspace.expander.engine.search(query, limit)]


@pytest.mark.parametrize("language", SHOPS)
def test_the_language_is_recognized_from_titles_and_sentences(shop, language):
    assert ",".join(shop(language).analyzer.codes) == language


@pytest.mark.parametrize(
    ("language", "query", "title"),
    [
        ("de", "Kaffeemaschinen", "Kaffeemaschine mit Mahlwerk"),
        ("de", "giesskannen", "Gießkanne 10 Liter"),
        ("de", "gruener tee", "Grüner Tee aus Japan"),
        ("de", "laufschuh herr", "Laufschuhe für Herren"),
        ("fr", "cafetieres a grains", "Cafetière à grains"),
        ("fr", "l'huile", "Huile d'olive"),
        ("fr", "huile olive", "Huile d'olive"),
        ("fr", "eclairages", "Éclairage de jardin"),
        ("es", "zapatilla hombre", "Zapatillas de correr para hombre"),
        ("es", "camion", "Camión de juguete"),
        ("es", "iluminacion exterior", "Iluminación de exterior"),
        ("es", "bicicletas nino", "Bicicleta para niños"),
        ("pt", "iluminacao", "Iluminação de jardim"),
        ("pt", "decoracao parede", "Decoração de parede"),
        ("pt", "tenis masculino", "Tênis de corrida masculino"),
        ("pt", "agua copo", "Copo d'água"),
        ("ja", "コーヒー豆", "ブラジル産コーヒー豆"),
        ("ja", "枕", "枕"),
        ("ja", "自転車 ヘルメット", "自転車ヘルメット"),
        ("th", "กาแฟ", "แก้วกาแฟ"),
        ("th", "รองเท้าผู้ชาย", "รองเท้าวิ่งผู้ชาย"),
        ("zh", "咖啡", "咖啡杯"),
        ("zh", "鞋 男式", "男式跑步鞋"),
        ("de,en", "giesskanne", "Gießkanne 10 Liter"),
        ("de,en", "bicycles", "Bicycle lock"),
        ("de,en", "heckenscheren", "Heckenschere"),
    ],
)
def test_inflected_accentless_and_elided_forms_find_the_document(shop, language, query, title):
    assert title in titles(shop(language), query)


@pytest.mark.parametrize(
    ("language", "query", "suggestion"),
    [
        ("de", "kaffee", "kaffeebohnen aus brasilien"),
        ("de", "schuh zum wandern", "wanderschuhe aus leder"),
        ("fr", "the", "thé vert du japon"),
        ("fr", "l'arrosage", "tuyau d'arrosage"),
        ("es", "te verde", "tetera de porcelana"),
        ("pt", "cha", "chaleira de vidro"),
        ("ja", "コーヒー", "コーヒーカップ"),
        ("ja", "山 靴", "登山靴"),
        ("th", "จักรยาน", "จักรยานเด็ก"),
        ("zh", "自行车", "儿童自行车"),
        ("de,en", "shoe", "running shoes for men"),
        ("de,en", "fahrräder", "fahrradschloss"),
    ],
)
def test_suggestions_are_related_and_spelled_as_in_the_documents(shop, language, query, suggestion):
    found = [each.query for each in shop(language).suggest(query, 8).suggestions]
    assert suggestion in found


@pytest.mark.parametrize(
    ("language", "a", "b", "other"),
    [
        ("de", "Gießkannen", "giesskanne", "Bürostuhl"),
        ("fr", "cafetières", "cafetiere", "bureau"),
        ("fr", "l'éclairage", "eclairages", "bureau"),
        ("es", "camión", "camiones", "silla"),
        ("pt", "iluminação", "iluminacao", "cadeira"),
        ("ja", "コーヒー", "コーヒー豆", "枕"),
        ("th", "กาแฟ", "แก้วกาแฟ", "หมอน"),
        ("zh", "咖啡", "咖啡杯", "枕头"),
        ("de,en", "bicycle", "bicycles", "Bürostuhl"),
    ],
)
@pytest.mark.parametrize("measure", ["web-kernel", "idf-cosine"])
def test_forms_of_a_word_are_more_similar_than_another_word(shop, language, a, b, other, measure):
    workspace = shop(language)
    assert workspace.similarity(a, b, measure) > 0.3
    assert workspace.similarity(a, b, measure) > workspace.similarity(a, other, measure)


@pytest.mark.parametrize(
    ("language", "query", "variant"),
    [
        ("de", "Laufschuhe Damen", "laufschuhe für damen"),
        ("fr", "chaussure course hommes", "chaussures de course pour hommes"),
        ("fr", "cafetiere grains", "cafetière à grains"),
        ("es", "regadera diez litro", "regadera de diez litros"),
        ("pt", "cadeiras escritório", "cadeira de escritório"),
        ("ja", "ヘルメット自転車", "ヘルメット自転車"),
        ("de,en", "running shoe women", "running shoes for women"),
    ],
)
def test_variants_with_stop_words_or_other_inflections_are_not_suggested(shop, language, query, variant):
    workspace = shop(language)
    assert variant not in [each.query for each in workspace.suggest(query, 8).suggestions]


@pytest.mark.parametrize("language", SHOPS)
def test_mined_queries_are_titles_as_written_or_phrases_without_stop_words_at_their_ends(shop, language):
    workspace = shop(language)
    mined = [query for query, _ in mine_queries(workspace.corpus, 1000)]
    written = {document.title.lower() for document in SHOPS[language]}
    phrases = [query for query in mined if query not in written and "," not in query]
    boundary = workspace.analyzer.phrase_boundary_words
    assert len(set(mined) & written) >= 16
    assert not [query for query in phrases if {query.split()[0], query.split()[-1]} & boundary]


@pytest.mark.parametrize(("language", "query", "label"), [("ja", "コーヒー", "コー"), ("th", "กาแฟ", "กาแฟ")])
def test_explanations_show_clusters_and_bigrams_as_written(shop, language, query, label):
    workspace = shop(language)
    explained = workspace.explain(query, SHOPS[language][0].title, "web-kernel")
    assert label in [part.term for part in explained.contributions]
    assert all(" " not in part.term for part in explained.contributions)
    texts = {document.id: document.text for document in SHOPS[language]}
    assert explained.passages
    assert all(passage.text in texts[passage.document] for passage in explained.passages)
