"""Instances made from seeds."""

from problems.generators.fjsp import brandimarte_like, hurink_like, random_hurink, sd1, sd2
from problems.generators.jsp import known_optimum_job_shop, known_optimum_with_schedule, random_job_shop
from problems.generators.mtsp import random_multiple_tsp
from problems.generators.spark import fixed_spark, random_spark, spark_stream
from problems.generators.taillard import taillard, taillard_job_shop, taillard_names
from problems.generators.traces import alibaba_batch, tpch_batch
from problems.generators.upms import random_with_operators, vallada_ruiz, with_operators

__all__ = [
    "alibaba_batch",
    "brandimarte_like",
    "fixed_spark",
    "hurink_like",
    "known_optimum_job_shop",
    "known_optimum_with_schedule",
    "random_hurink",
    "random_job_shop",
    "random_multiple_tsp",
    "random_spark",
    "random_with_operators",
    "sd1",
    "sd2",
    "spark_stream",
    "taillard",
    "taillard_job_shop",
    "taillard_names",
    "tpch_batch",
    "vallada_ruiz",
    "with_operators",
]
