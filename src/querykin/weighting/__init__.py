"""How much does a term weigh? Weights of terms in expansions."""
