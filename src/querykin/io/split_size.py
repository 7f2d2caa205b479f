"""How much of the input of a batch job one task reads."""

SPLIT_BYTES = 64 * 2**20  # of an input, as stored; HDFS blocks and Spark's partitions are of this order
