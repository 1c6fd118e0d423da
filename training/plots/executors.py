"""Spark clusters: who works for which job, and how many jobs are in the system, on one time axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from problems.families.spark_variants import preset_of
from problems.instance import Instance, IntArray
from problems.measure import objective_value
from problems.objective import Objective
from problems.schedule import Schedule
from training.plots.axis import AXIS, GRID, LABEL, Scale, draw_x_axis, draw_y_axis, tick_text
from training.plots.palette import color, ink
from training.plots.svg import Drawing, text_width

WIDTH = 960.0
LEFT, TOP, RIGHT, BOTTOM = 84.0, 46.0, 22.0, 52.0
BETWEEN, JOBS_HEIGHT = 30.0, 130.0
CLUSTER_HEIGHT, LEAST_LINE, MOST_LINE = 420.0, 3.5, 26.0
FINEST = 0.5
"""Pixels; what is shorter is joined with its neighbours or left out, or a long stream would fill megabytes."""

MOVE = "#c9c9c9"
VALUE_NAMES = {Objective.MEAN_FLOW_TIME: "mean job completion time", Objective.MAKESPAN: "makespan"}


@dataclass(frozen=True)
class Stay:
    """An executor works for one job without a pause.

    Attributes
    ----------
    agent, job
        Who, and for which job.
    start, end
        Integer time.
    pieces
        Number of pieces done.
    """

    agent: int
    job: int
    start: int
    end: int
    pieces: int


def plot_executors(schedule: Schedule, instance: Instance, title: str | None = None) -> str:
    """Draw the executors over time, coloured by job, above the number of jobs in the system.

    Parameters
    ----------
    schedule
        Any complete schedule of the instance; it is drawn as it is, not checked.
    instance
        Gives the names, the arrivals and the unit of time.
    title
        Replaces the title "name: objective value".

    Returns
    -------
    str
        One SVG element. Moves between jobs are grey; bars and completions tell their job and times when pointed at.
    """
    line = float(np.clip(CLUSTER_HEIGHT / max(instance.num_agents, 1), LEAST_LINE, MOST_LINE))
    middle = TOP + line * instance.num_agents
    bottom = middle + BETWEEN + JOBS_HEIGHT
    drawing = Drawing(WIDTH, bottom + BOTTOM, f"Executors and jobs over time: {instance.name}")
    horizon = int(schedule.end.max()) if len(schedule) else 0
    x = Scale(0.0, max(float(instance.to_unit(horizon)), 1e-9), LEFT, WIDTH - RIGHT)
    _draw_head(drawing, instance, schedule, title)
    draw_x_axis(drawing, x, TOP, bottom, "time")
    _draw_executors(drawing, instance, x, line)
    _draw_moves(drawing, instance, schedule, x, line)
    for stay in _visible(stays(schedule, instance, FINEST * horizon / (x.stop - x.start)), instance, x):
        _draw_stay(drawing, instance, stay, x, line)
    _draw_jobs(drawing, instance, schedule, x, (middle + BETWEEN, bottom))
    return drawing.render()


def stays(schedule: Schedule, instance: Instance, pause: float = 0.0) -> list[Stay]:
    """Pieces joined where an executor goes on with the same job after at most ``pause``, by executor and time."""
    order = np.lexsort((schedule.end, schedule.start, schedule.agent))
    agent, start, end = schedule.agent[order], schedule.start[order], schedule.end[order]
    job = instance.task_job[schedule.task[order]]
    same = (agent[1:] == agent[:-1]) & (job[1:] == job[:-1]) & (start[1:] <= end[:-1] + pause)
    first = np.flatnonzero(np.concatenate([np.ones(min(1, len(order)), np.bool_), ~same]))
    last = np.append(first, len(order))[1:] - 1
    return [
        Stay(int(agent[low]), int(job[low]), int(start[low]), int(end[high]), int(high - low + 1))
        for low, high in zip(first, last, strict=True)
    ]


def _visible(found: list[Stay], instance: Instance, x: Scale) -> Iterator[Stay]:
    """Those that show: on each executor, what ends beyond the bar before."""
    agent, drawn = -1, 0.0
    for stay in found:
        right = x(float(instance.to_unit(stay.end)))
        if stay.agent != agent or right > drawn + FINEST:
            agent, drawn = stay.agent, right
            yield stay


def jobs_in_system(schedule: Schedule, instance: Instance) -> tuple[IntArray, IntArray]:
    """When the number of jobs that have arrived and are not complete changes, and the number from then on."""
    completion = instance.job_release.copy()
    np.maximum.at(completion, instance.task_job[schedule.task], schedule.end)
    times, place = np.unique(np.concatenate([instance.job_release, completion]), return_inverse=True)
    changes = np.zeros(len(times), np.int64)
    np.add.at(changes, place, np.repeat([1, -1], instance.num_jobs))
    return times, np.cumsum(changes)


def _draw_head(drawing: Drawing, instance: Instance, schedule: Schedule, title: str | None) -> None:
    name = VALUE_NAMES.get(instance.objective, str(instance.objective).replace("_", " "))
    text = title
    if text is None:
        text = f"{instance.name}: {name} {tick_text(float(objective_value(instance, schedule)))}"
    drawing.text((LEFT, 24), text, 16, font_weight=600)
    preset = preset_of(instance)
    if preset is not None:
        drawing.text((WIDTH - RIGHT, 24), f"preset {preset}", 12, anchor="end", fill=LABEL)


def _draw_executors(drawing: Drawing, instance: Instance, x: Scale, line: float) -> None:
    """Lines of the executors with as many names as there is room for."""
    step = next((step for step in (1, 2, 5, 10, 20, 50) if step * line >= 12), 100)
    for agent in range(0, instance.num_agents, step):
        y = TOP + agent * line
        drawing.line((x.start, y), (x.stop, y), stroke=GRID)
        name = instance.agent_names[agent].replace("_", " ")
        drawing.text((x.start - 7, y + line / 2 + 4), name, 11, anchor="end", fill=LABEL)
    drawing.line((x.start, TOP), (x.start, TOP + instance.num_agents * line), stroke=AXIS)


def _draw_moves(drawing: Drawing, instance: Instance, schedule: Schedule, x: Scale, line: float) -> None:
    for row in np.flatnonzero(schedule.changeover_end > schedule.changeover_start):
        begin, end = (x(float(instance.to_unit(t[row]))) for t in (schedule.changeover_start, schedule.changeover_end))
        if end - begin < FINEST:
            continue
        y = TOP + int(schedule.agent[row]) * line
        drawing.rect(begin, y + 0.42 * line, end - begin, 0.16 * line, fill=MOVE)


def _draw_stay(drawing: Drawing, instance: Instance, stay: Stay, x: Scale, line: float) -> None:
    start, end = instance.to_unit(stay.start), instance.to_unit(stay.end)
    left, right = x(float(start)), x(float(end))
    y, height = TOP + (stay.agent + 0.06) * line, 0.88 * line
    fill, name = color(stay.job), instance.job_names[stay.job]
    pieces = f"{stay.pieces} pieces" if stay.pieces > 1 else "1 piece"
    executor = instance.agent_names[stay.agent].replace("_", " ")
    tip = f"job {name} on {executor}: {start} to {end}, {pieces}"
    drawing.rect(left, y, max(right - left, 0.6), height, fill=fill, tip=tip)
    if line >= 12 and right - left > text_width(name, 10) + 4:
        at = ((left + right) / 2, y + height / 2 + 3.5)
        drawing.text(at, name, 10, anchor="middle", fill=ink(fill), pointer_events="none")


def _draw_jobs(drawing: Drawing, instance: Instance, schedule: Schedule, x: Scale, place: tuple[float, float]) -> None:
    """Steps of the number of jobs in the system, with a dot in the job's colour where one is complete."""
    times, counts = jobs_in_system(schedule, instance)
    y = Scale(0.0, max(float(counts.max(initial=0)), 1.0) * 1.08, place[1], place[0])
    draw_y_axis(drawing, y, LEFT, x.stop, "jobs in system", count=4)
    at = [x(float(instance.to_unit(time))) for time in times]
    points = [(x.start, y(0))]
    for number, count in enumerate(counts.tolist()):
        points += [(at[number], points[-1][1]), (at[number], y(count))]
    points.append((x.stop, points[-1][1]))
    area = [*points, (x.stop, y(0))]
    drawing.polyline(area, closed=True, fill="#dfe6f0", stroke="none")
    drawing.polyline(points, stroke="#33506f", stroke_width=1.4, stroke_linejoin="round")
    _draw_completions(drawing, instance, schedule, x, y, dict(zip(times.tolist(), counts.tolist(), strict=True)))


def _draw_completions(
    drawing: Drawing, instance: Instance, schedule: Schedule, x: Scale, y: Scale, count_at: dict[int, int]
) -> None:
    completion = instance.job_release.copy()
    np.maximum.at(completion, instance.task_job[schedule.task], schedule.end)
    for job, time in enumerate(completion.tolist()):
        arrived, done = instance.to_unit(int(instance.job_release[job])), instance.to_unit(time)
        flow = instance.to_unit(time - int(instance.job_release[job]))
        tip = f"job {instance.job_names[job]}: arrived {arrived}, complete {done}, after {flow}"
        drawing.circle((x(float(done)), y(count_at[time])), 3.2, fill=color(job), stroke="#fff", tip=tip)
