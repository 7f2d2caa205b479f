"""Storage: immutable parts on disk under a manifest that is replaced atomically."""
