"""Search logs as counts: sessions, clicks and reformulations, and the graphs of queries made of them."""
