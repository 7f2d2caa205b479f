"""Keywords grouped around heads by any measure that searches."""
