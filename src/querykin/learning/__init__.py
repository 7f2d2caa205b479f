"""Learning from judged pairs: losses, cross-validation, the learners and the models they produce."""
