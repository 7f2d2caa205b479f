"""querykin inside other libraries."""
