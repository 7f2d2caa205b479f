"""How far apart words co-occur, and the memory of counting."""

DISTANCE = 3  # words (Alfonseca et al. 2009)
MAX_DISTANCE = 20  # that can be set: memory and time grow with the distance
MEMORY = 1024  # MiB that counting may use
MAX_BYTES = MEMORY << 20
