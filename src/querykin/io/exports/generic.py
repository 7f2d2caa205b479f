"""Headers that tell what a column holds in files of any origin, in order of preference."""

from collections.abc import Mapping

from querykin.io.exports.export import Kind, Names

DOCUMENTS: Mapping[str, Names] = {
    "id": ("id", "_id", "docno", "docid", "document id", "sku", "handle", "artikelnummer", "référence"),
    "title": (
        *("title", "name", "headline", "product name", "question"),
        *("titel", "überschrift", "produktname", "bezeichnung", "frage"),
        *(
            "titre",
            "nom",
            "titulo",
            "título",
            "nombre",
            "nome",
            "titolo",
            "naam",
            "タイトル",
            "題名",
            "名前",
            "商品名",
        ),
    ),
    "text": (
        *("text", "contents", "content", "body", "body (html)", "description", "abstract", "answer"),
        *("inhalt", "beschreibung", "antwort", "texte", "contenu", "texto", "contenido", "descripción"),
        *("conteúdo", "descrição", "testo", "contenuto", "descrizione", "tekst", "inhoud", "beschrijving"),
        *("本文", "内容", "テキスト", "説明", "商品説明"),
    ),
    "url": ("url", "link", "permalink", "lien", "enlace", "リンク"),
}

QUERIES: Mapping[str, Names] = {
    "query": (
        *("query", "keyword", "keywords", "search term", "search terms", "search query", "queries"),
        *("top queries", "phrase", "term"),
        *(
            "suchanfrage",
            "suchanfragen",
            "suchbegriff",
            "suchbegriffe",
            "suchwort",
            "schlüsselwort",
            "begriff",
        ),
        *("requête", "requêtes", "mot clé", "mot-clé", "mots clés", "terme de recherche", "recherche"),
        *("consulta", "consultas", "palabra clave", "palabras clave", "término de búsqueda", "búsqueda"),
        *("palavra-chave", "palavras-chave", "termo de pesquisa", "pesquisa"),
        *("parola chiave", "parole chiave", "termine di ricerca", "ricerca"),
        *(
            "zoekopdracht",
            "zoekopdrachten",
            "zoekterm",
            "zoektermen",
            "zoekwoord",
            "zoekwoorden",
            "trefwoord",
        ),
        *("検索クエリ", "クエリ", "キーワード", "検索語句", "検索キーワード", "検索語"),
        *("text", "q"),
    ),
    "count": (
        *("count", "volume", "search volume", "avg. monthly searches", "frequency", "searches"),
        *("impressions", "impr.", "clicks"),
        *(
            "anzahl",
            "häufigkeit",
            "suchvolumen",
            "volumen",
            "suchanfragen pro monat",
            "impressionen",
            "klicks",
        ),
        *("nombre", "fréquence", "volume de recherche", "recherches", "clics"),
        *("número", "cantidad", "frecuencia", "volumen de búsqueda", "búsquedas", "impresiones"),
        *("contagem", "quantidade", "frequência", "volume de pesquisa", "pesquisas", "impressões", "cliques"),
        *("conteggio", "frequenza", "volume di ricerca", "ricerche", "impressioni", "clic"),
        *("aantal", "frequentie", "zoekvolume", "vertoningen", "klikken"),
        *("回数", "件数", "検索数", "検索回数", "検索ボリューム", "表示回数", "クリック数"),
    ),
    "id": ("id", "_id", "qid", "query id"),
}

LOG: Mapping[str, Names] = {
    "session": (
        *("session", "session id", "session_id", "sessionid", "visit", "visit id", "visit_id"),
        *("sitzung", "sitzungs-id", "sesión", "sessão", "sessione", "sessie", "セッション"),
    ),
    "time": (
        *("time", "timestamp", "ts", "datetime", "date", "query time", "query_time", "querytime"),
        *("event time", "event_time"),
        *("zeit", "zeitpunkt", "datum", "heure", "fecha", "hora", "data", "tijd", "日時"),
    ),
    "query": (*QUERIES["query"], "search_term", "searchterm", "search_query", "searchquery", "query_text"),
    "url": (
        *("url", "clicked url", "clicked_url", "clickedurl", "clickurl", "click url", "click_url", "page"),
        *("page_url", "clicked page", "clicked_page", "landing page", "landing_page", "link"),
        *("seite", "zielseite", "lien", "enlace", "pagina", "página", "リンク", "ページ"),
    ),
    "reformulation": ("reformulation", "next query", "next_query", "rewritten query", "refined query"),
    "count": (
        *("count", "clicks", "sessions", "frequency", "anzahl", "klicks", "clics", "cliques", "clic"),
        *("klikken", "回数", "クリック数"),
    ),
}

GENERIC: Mapping[Kind, Mapping[str, Names]] = {"documents": DOCUMENTS, "queries": QUERIES, "log": LOG}
