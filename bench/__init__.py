"""How fast is it, beside what others would use? Everything in one process, on the same rows."""
