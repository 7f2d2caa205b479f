"""Columns that the exports of several programs have under the same names."""

from querykin.io.exports.export import Names

KEYWORD: Names = (
    "Keyword",
    "Schlüsselwort",
    "Mot clé",
    "Mot-clé",
    "Palabra clave",
    "Palavra-chave",
    "Parola chiave",
    "Trefwoord",
    "Zoekwoord",
    "キーワード",
)
IMPRESSIONS: Names = (
    "Impressions",
    "Impressionen",
    "Impresiones",
    "Impressões",
    "Impressioni",
    "Vertoningen",
    "表示回数",
)
CLICKS: Names = ("Clicks", "Klicks", "Clics", "Cliques", "Clic", "Klikken", "クリック数")
