"""The families of problems: what each is called and how its instances are built."""

from problems.families.fjsp import flexible_job_shop
from problems.families.jsp import job_shop
from problems.families.mtsp import multiple_tsp
from problems.families.registry import FAMILIES, Family, get_family
from problems.families.spark import Preset, SparkJob, SparkStage, spark_cluster
from problems.families.upms import parallel_machines

__all__ = [
    "FAMILIES",
    "Family",
    "Preset",
    "SparkJob",
    "SparkStage",
    "flexible_job_shop",
    "get_family",
    "job_shop",
    "multiple_tsp",
    "parallel_machines",
    "spark_cluster",
]
