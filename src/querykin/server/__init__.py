"""The service: an HTTP API and pages over one workspace."""
