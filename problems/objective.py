"""What a schedule is judged by; every objective is minimised."""

from __future__ import annotations

from enum import StrEnum


class Objective(StrEnum):
    """The objectives of the model.

    With completion time C_j of job j (the end of its last task), release r_j, due date d_j and weight w_j:

    ``MAKESPAN``                  max_j C_j
    ``LONGEST_ROUTE``             the longest sum of changeovers of an agent, its return included; waiting costs none
    ``MEAN_FLOW_TIME``            the mean of C_j - r_j over the jobs
    ``TOTAL_COMPLETION_TIME``     sum_j w_j C_j
    ``TOTAL_WEIGHTED_TARDINESS``  sum_j w_j max(0, C_j - d_j)
    """

    MAKESPAN = "makespan"
    LONGEST_ROUTE = "longest_route"
    MEAN_FLOW_TIME = "mean_flow_time"
    TOTAL_COMPLETION_TIME = "total_completion_time"
    TOTAL_WEIGHTED_TARDINESS = "total_weighted_tardiness"
