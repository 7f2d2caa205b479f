"""What do judgements teach? Losses, folds, learners and the models they leave."""
