"""Who answers a query? Search engines, each one small registered file."""
