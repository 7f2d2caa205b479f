"""From judged pairs to models, which are never judged on what they learnt from."""
