"""HTTP service: a JSON API and HTML pages over one workspace."""
