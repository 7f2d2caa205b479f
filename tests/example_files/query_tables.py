"""Tables of queries: Search Console, Google Ads, Bing, Ahrefs, Semrush, and lists of other origins."""

from .example import Example


def console(
    name: str, language: str, text: str, *expected: tuple[str, int], encoding: str = "utf-8"
) -> Example:
    """An example of Search Console's performance report."""
    imitates = f"Search Console, performance report, {language}"
    return Example(
        name, "queries", imitates, {"Queries.csv": text.encode(encoding)}, expected, "Search Console"
    )


def planner(name: str, language: str, text: str, *expected: tuple[str, int]) -> Example:
    """An example of Keyword Planner's export: UTF-16 with tabs below a title and a date."""
    files = {"Keyword Stats.csv": text.encode("utf-16")}
    imitates = f"Google Ads Keyword Planner, keyword ideas, {language}"
    return Example(name, "queries", imitates, files, expected, "Keyword Planner")


QUERIES = [
    console(
        "search-console-en",
        "English",
        "Top queries,Clicks,Impressions,CTR,Position\nlawn mower,12,340,3.5%,4.1\nhedge trimmer,3,51,5.88%,9.6\n",
        ("lawn mower", 340),
        ("hedge trimmer", 51),
    ),
    console(
        "search-console-de",
        "German, semicolons and CP1252 after a visit to a spreadsheet",
        "Häufigste Suchanfragen;Klicks;Impressionen;CTR;Position\r\nrasenmäher;12;1.340;0,9%;4,1\r\n"
        "heckenschere für große hecken;3;51;5,88%;9,6\r\n",
        ("rasenmäher", 1340),
        ("heckenschere für große hecken", 51),
        encoding="cp1252",
    ),
    console(
        "search-console-fr",
        "French, with a byte order mark",
        'Requêtes les plus fréquentes,Clics,Impressions,CTR,Position\ntondeuse à gazon,12,340,"3,5 %","4,1"\n',
        ("tondeuse à gazon", 340),
        encoding="utf-8-sig",
    ),
    console(
        "search-console-ja",
        "Japanese, Shift-JIS",
        "上位のクエリ,クリック数,表示回数,CTR,掲載順位\n芝刈り機 おすすめ,12,340,3.5%,4.1\n電動ノコギリ,3,51,5.88%,9.6\n",
        ("芝刈り機 おすすめ", 340),
        ("電動ノコギリ", 51),
        encoding="cp932",
    ),
    planner(
        "keyword-planner-en",
        "English",
        "Keyword Stats 2025-03-04 at 10_11_12\nJanuary 1, 2024 - December 31, 2024\n"
        "Keyword\tCurrency\tAvg. monthly searches\tThree month change\tCompetition\n"
        "lawn mower\tEUR\t1K – 10K\t0%\tHigh\nreel mower\tEUR\t10 – 100\t\tLow\nscythe\tEUR\t\t\t\n",
        ("lawn mower", 1000),
        ("reel mower", 10),
        ("scythe", 1),
    ),
    planner(
        "keyword-planner-de",
        "German",
        "Keyword-Statistiken 2025-03-04\n1. Januar 2024 - 31. Dezember 2024\n"
        "Keyword\tWährung\tDurchschnittl. Suchanfragen pro Monat\tWettbewerb\n"
        "rasenmäher\tEUR\t60.500\tHoch\nmähroboter\tEUR\t--\tMittel\n",
        ("rasenmäher", 60500),
        ("mähroboter", 1),
    ),
    Example(
        "google-ads-search-terms-en",
        "queries",
        "Google Ads, search terms report, English: title and date above, totals below",
        {
            "Search terms report.csv": (
                b'Search terms report\n"January 1, 2025 - January 31, 2025"\n'
                b"Search term,Match type,Added/Excluded,Campaign,Ad group,Clicks,Impr.,CTR,Cost\n"
                b'cordless mower,Broad match,None,Garden,Mowers,7,"1,204",0.58%,3.10\n'
                b'Total: Search terms,,,,,7,"1,204",0.58%,3.10\n'
                b'Total: Account,,,,,9,"2,000",0.45%,4.00\n'
            )
        },
        [("cordless mower", 1204)],
        "Google Ads search terms",
    ),
    Example(
        "google-ads-search-terms-es",
        "queries",
        "Google Ads, search terms report, Spanish, UTF-16",
        {
            "Informe.csv": (
                "Informe de términos de búsqueda\n1 ene 2025 - 31 ene 2025\n"
                "Término de búsqueda\tTipo de concordancia\tAñadido/Excluido\tCampaña\tClics\tImpresiones\n"
                "cortacésped batería\tConcordancia amplia\tNinguno\tJardín\t7\t1.204\nTotal: cuenta\t\t\t\t7\t1.204\n"
            ).encode("utf-16")
        },
        [("cortacésped batería", 1204)],
        "Google Ads search terms",
    ),
    Example(
        "google-ads-editor-en",
        "queries",
        "Google Ads Editor, keywords of a campaign, English: no counts",
        {
            "campaign.csv": "Campaign\tAd Group\tKeyword\tCriterion Type\nGarden\tMowers\tlawn mower\tBroad\n".encode(
                "utf-16"
            )
        },
        [("lawn mower", 1)],
        "Google Ads Editor",
    ),
    Example(
        "google-ads-editor-fr",
        "queries",
        "Google Ads Editor, keywords of a campaign, French",
        {"campagne.csv": "Campagne,Groupe d'annonces,Mot clé\nJardin,Tondeuses,tondeuse à gazon\n".encode()},
        [("tondeuse à gazon", 1)],
        "Google Ads Editor",
    ),
    Example(
        "bing-webmaster-en",
        "queries",
        "Bing Webmaster Tools, search performance, English, every cell quoted",
        {
            "bing.csv": b'"Keyword","Impressions","Clicks","CTR","Avg. Position"\r\n'
            b'"mower ""quiet""","1,020","4","0.39%","6.2"\r\n'
        },
        [('mower "quiet"', 1020)],
        "Bing Webmaster",
    ),
    Example(
        "bing-webmaster-pt",
        "queries",
        "Bing Webmaster Tools, search performance, Portuguese",
        {
            "bing.csv": "Palavra-chave;Impressões;Cliques;CTR;Posição média\ncortador de grama;1 020;4;0,39%;6,2\n".encode()
        },
        [("cortador de grama", 1020)],
        "Bing Webmaster",
    ),
    Example(
        "ahrefs-en",
        "queries",
        "Ahrefs Keywords Explorer, UTF-16 with tabs and quotes",
        {
            "ahrefs.csv": (
                '"#"\t"Keyword"\t"Country"\t"Difficulty"\t"Volume"\t"CPC"\t"Parent Keyword"\n'
                '"1"\t"lawn mower"\t"us"\t"57"\t"110000"\t"1.2"\t"lawn mower"\n'
            ).encode("utf-16")
        },
        [("lawn mower", 110000)],
        "Ahrefs",
    ),
    Example(
        "ahrefs-it",
        "queries",
        "Ahrefs Keywords Explorer, keywords in Italian",
        {
            "ahrefs.csv": (
                "Keyword,Country,Difficulty,Volume,CPC,Traffic potential\nrasaerba più silenzioso,it,4,1300,0.5,900\n"
            ).encode()
        },
        [("rasaerba più silenzioso", 1300)],
        "Ahrefs",
    ),
    Example(
        "semrush-en",
        "queries",
        "Semrush Keyword Magic Tool, English, with lines above the header",
        {
            "semrush.csv": (
                b"Keyword Magic Tool\nDatabase: us\n\n"
                b"Keyword,Intent,Volume,Keyword Difficulty,CPC (USD)\nlawn mower,Commercial,110000,57,1.2\n"
            )
        },
        [("lawn mower", 110000)],
        "Semrush",
    ),
    Example(
        "semrush-de",
        "queries",
        "Semrush, German headers, semicolons",
        {
            "semrush.csv": (
                "Keyword;Suchvolumen;Keyword-Schwierigkeit;CPC\nleiser rasenmäher;1.300;41;0,52\n"
            ).encode()
        },
        [("leiser rasenmäher", 1300)],
        "Semrush",
    ),
    Example(
        "own-headers",
        "queries",
        "a spreadsheet with headers of its own, named with --columns",
        {"k.csv": b"Begriff;Volumen\nmondlandung;40\n"},
        [("mondlandung", 40)],
        "CSV",
        columns="query=Begriff,count=Volumen",
    ),
    Example(
        "spreadsheet-sep",
        "queries",
        "Excel's CSV with sep=; and CP1252",
        {
            "anfragen.csv": 'sep=;\r\nSuchanfrage;Anzahl\r\nküchenstühle;1\'200\r\n"stühle; weiß";<10\r\n'.encode(
                "cp1252"
            )
        },
        [("küchenstühle", 1200), ("stühle; weiß", 1)],
        "CSV",
    ),
    Example(
        "polish-cp1250",
        "queries",
        "a shop's search log, Polish, CP1250",
        {
            "hasla.csv": (
                "query;count\nżółta koszula;4\nłódź podwodna;5\nkosiarka do trawy;2\nbuty męskie;9\n"
            ).encode("cp1250")
        },
        [("żółta koszula", 4), ("łódź podwodna", 5), ("kosiarka do trawy", 2), ("buty męskie", 9)],
        "CP1250",
    ),
    Example(
        "russian-cp1251",
        "queries",
        "a search log, Russian, CP1251",
        {"zaprosy.csv": "query;count\nгазонокосилка;340\nкупить холодильник;20\n".encode("cp1251")},
        [("газонокосилка", 340), ("купить холодильник", 20)],
        "CP1251",
    ),
    Example(
        "chinese-gb18030",
        "queries",
        "a search log, Chinese, GB18030",
        {
            "log.csv": "keyword,count\n割草机哪个牌子好,340\n笔记本电脑 推荐,20\n电动自行车价格,7\n".encode(
                "gb18030"
            )
        },
        [("割草机哪个牌子好", 340), ("笔记本电脑 推荐", 20), ("电动自行车价格", 7)],
        "GB18030",
    ),
    Example(
        "stray-quotes",
        "queries",
        "a log in which inches are quotes",
        {"log.csv": b'query,count\n12" pipe,4\n"55 inch tv,2\n"tv, 55""",3\nlast,1\n'},
        [('12" pipe', 4), ('"55 inch tv', 2), ('tv, 55"', 3), ("last", 1)],
        "CSV",
    ),
    Example(
        "plain-list",
        "queries",
        "a list of queries with counts and no header, line ends of old spreadsheets",
        {"list.txt": "nasa\t12\rcafé, noir\t3\r".encode()},
        [("nasa", 12), ("café, noir", 3)],
        "query<TAB>count",
    ),
    Example(
        "objects",
        "queries",
        "JSON lines from a search engine's log",
        {"log.jsonl": b'{"query": "nasa", "count": 12, "user": 7}\n{"query": "esa"}\n'},
        [("nasa", 12), ("esa", 1)],
        "JSON lines",
    ),
    Example(
        "bad-rows",
        "queries",
        "a log with an empty query, a count of 0, a row that is too long and trailing delimiters",
        {"log.csv": b"query,count\n,3\nzero,0\nnasa,1,x\nesa,2,,\n"},
        [("esa", 2)],
        "CSV",
        skipped=3,
    ),
]
