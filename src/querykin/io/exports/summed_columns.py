"""Columns whose sum over several keywords means something: counts and amounts, but no rates or averages."""

from querykin.io.exports.export import Names
from querykin.io.exports.generic import QUERIES
from querykin.io.exports.header_names import CLICKS, IMPRESSIONS
from querykin.io.exports.keyword_planner import EXPORT as KEYWORD_PLANNER

COUNTS: Names = (
    *QUERIES["count"],
    *KEYWORD_PLANNER.columns["count"][0],
    *CLICKS,
    *IMPRESSIONS,
    *("interactions", "sessions", "users", "visits", "views", "pageviews", "page views", "entrances"),
    *("traffic", "current traffic", "organic traffic", "current organic traffic", "orders", "purchases"),
    *("transactions", "add to carts", "leads", "sales"),
    *("interaktionen", "sitzungen", "nutzer", "besuche", "aufrufe", "seitenaufrufe", "bestellungen"),
    *("utilisateurs", "visites", "vues", "commandes"),
    *("sesiones", "usuarios", "visitas", "vistas", "pedidos", "sessões", "usuários", "visualizações"),
    *("sessioni", "utenti", "visite", "visualizzazioni", "ordini", "sessies", "gebruikers", "bezoeken"),
    *("セッション", "ユーザー", "訪問数", "ページビュー数"),
)
AMOUNTS: Names = (
    *(
        "cost",
        "spend",
        "amount spent",
        "conversions",
        "conv.",
        "all conv.",
        "conv. value",
        "conversion value",
    ),
    *("revenue", "value"),
    *("kosten", "ausgaben", "conversion-wert", "umsatz", "wert"),
    *("coût", "coûts", "dépenses", "valeur de conversion", "revenus", "chiffre d'affaires"),
    *("coste", "costo", "gasto", "conversiones", "valor de conversión", "ingresos"),
    *("custo", "conversões", "valor da conversão", "receita"),
    *("conversioni", "valore di conversione", "ricavi", "conversies", "conversiewaarde", "omzet"),
    *("費用", "コンバージョン", "コンバージョン値", "収益"),
)
