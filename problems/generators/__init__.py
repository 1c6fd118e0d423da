"""Instances made from seeds."""

from problems.generators.jsp import known_optimum_job_shop, known_optimum_with_schedule, random_job_shop
from problems.generators.mtsp import random_multiple_tsp
from problems.generators.taillard import taillard, taillard_job_shop, taillard_names

__all__ = [
    "known_optimum_job_shop",
    "known_optimum_with_schedule",
    "random_job_shop",
    "random_multiple_tsp",
    "taillard",
    "taillard_job_shop",
    "taillard_names",
]
