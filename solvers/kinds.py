"""The names and numbers of priority functions."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Priority functions; the highest score is chosen.

    p duration, pmin the task's shortest duration on any agent, rem shortest work of the job from this task on, ready
    when the task is ready.

    ``SPT``       shortest p
    ``LPT``       longest p
    ``FIFO``      earliest ready; where all agents are alike, the job that arrived first
    ``MOR``       most tasks left on the job's longest path
    ``MWKR``      longest rem
    ``FDD_MWKR``  smallest (release + work of the job up to and with this task) / rem
    ``SPT_TWKR``  smallest p / rem
    ``RANDOM``    any
    ``NEAREST``   shortest changeover
    ``PAIR``      smallest (p / pmin) p / rem; pairs with p > 1.5 pmin only if there are no others
    ``EFT``       earliest end, changeover included; a task does not go to an agent if another one would end it earlier
    ``SST``       shortest changeover, then shortest p
    ``ATCS``      apparent tardiness cost with setups (Lee, Bhaskaran, Pinedo 1997, doi:10.1080/07408179708966311)
    ``SJF``, ``SJF_CP``, ``WEIGHTED_FAIR``, ``TETRIS``  a job first, then its stage; see `solvers.shares`
    ``NETWORK``   a small network over the candidate's features (`tuned`)
    ``GRAPH``     the score of ``NETWORK`` plus that of a network over the agent-task graph (`policy`)
    """

    SPT = 0
    LPT = 1
    FIFO = 2
    MOR = 3
    MWKR = 4
    FDD_MWKR = 5
    SPT_TWKR = 6
    RANDOM = 7
    NEAREST = 8
    NETWORK = 9
    GRAPH = 10
    PAIR = 11
    EFT = 12
    SST = 13
    ATCS = 14
    SJF = 15
    SJF_CP = 16
    WEIGHTED_FAIR = 17
    TETRIS = 18


(
    SPT,
    LPT,
    FIFO,
    MOR,
    MWKR,
    FDD_MWKR,
    SPT_TWKR,
    RANDOM,
    NEAREST,
    NETWORK,
    GRAPH,
    PAIR,
    EFT,
    SST,
    ATCS,
    SJF,
    SJF_CP,
    WEIGHTED_FAIR,
    TETRIS,
) = (int(kind) for kind in Kind)
