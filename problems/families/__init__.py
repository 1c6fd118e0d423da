"""The families of problems: what each is called and how its instances are built."""

from problems.families.jsp import job_shop
from problems.families.mtsp import multiple_tsp
from problems.families.registry import FAMILIES, Family, get_family

__all__ = ["FAMILIES", "Family", "get_family", "job_shop", "multiple_tsp"]
