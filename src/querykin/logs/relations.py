"""The relations between logged queries, each of which has a graph."""

from typing import Literal

Relation = Literal["clicks", "sessions", "reformulations"]
KIND = "log-graphs"  # of the stores of graphs, and their folder
