"""A Gantt chart: one line per agent, one colour per job."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from problems.instance import Instance
from problems.schedule import NO_RESOURCE, Schedule
from training.plots.axis import Scale, draw_x_axis, tick_text
from training.plots.palette import color, ink
from training.plots.svg import Drawing, text_width

WIDTH = 960.0
TOP, BOTTOM, RIGHT = 46.0, 52.0, 22.0
CHANGEOVER = "#9a9a9a"


@dataclass(frozen=True)
class _Frame:
    """Where the lines of the chart lie."""

    drawing: Drawing
    x: Scale
    line_height: float

    def y(self, agent: int) -> float:
        return TOP + agent * self.line_height

    def draw_bar(self, agent: int, times: tuple[float, float], label: str, ink: str, **values: object) -> None:
        """Draw a bar on the agent's line, with its label where there is room."""
        height = self.line_height * 0.82
        y = self.y(agent) + (self.line_height - height) / 2
        left, right = self.x(times[0]), self.x(times[1])
        self.drawing.rect(left, y, max(right - left, 0.8), height, **values)
        if label and right - left > text_width(label, 10) + 4:
            middle = ((left + right) / 2, y + height / 2 + 3.5)
            self.drawing.text(middle, label, 10, anchor="middle", fill=ink, pointer_events="none")


def plot_gantt(schedule: Schedule, instance: Instance, title: str | None = None) -> str:
    """Draw ``schedule`` as a Gantt chart.

    Parameters
    ----------
    schedule
        Any schedule of the instance; it is drawn as it is, not checked.
    instance
        Gives the names and the unit of time.
    title
        Replaces the title "name: objective value".

    Returns
    -------
    str
        One SVG element. Changeovers are hatched grey, with the operator's name where one is needed; each bar tells its
        task and times when pointed at.
    """
    frame = _frame(schedule, instance)
    _draw_lines(frame, instance)
    for row in range(len(schedule)):
        _draw_row(frame, instance, schedule, row)
    _draw_head(frame, instance, schedule, title)
    return frame.drawing.render()


def _horizon(schedule: Schedule) -> int:
    return int(schedule.end.max()) if len(schedule) else 0


def _line_height(num_agents: int) -> float:
    return float(np.clip(520.0 / max(num_agents, 1), 15.0, 34.0))


def _frame(schedule: Schedule, instance: Instance) -> _Frame:
    height = _line_height(instance.num_agents)
    left = 16 + min(max((text_width(_label(name), 11) for name in instance.agent_names), default=0), 170)
    total = TOP + height * instance.num_agents + BOTTOM
    drawing = Drawing(WIDTH, total, f"Gantt chart of {instance.name}")
    drawing.define(
        '<pattern id="changeover" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="5" height="5" fill="#eee"/><line y2="5" stroke="{CHANGEOVER}" stroke-width="2"/></pattern>'
    )
    stop = max(float(instance.to_unit(_horizon(schedule))), 1e-9)
    return _Frame(drawing, Scale(0.0, stop, left, WIDTH - RIGHT), height)


def _label(name: str) -> str:
    """Name of an agent as people write it."""
    return name.replace("_", " ")


def _draw_lines(frame: _Frame, instance: Instance) -> None:
    bottom = frame.y(instance.num_agents)
    for agent in range(0, instance.num_agents, 2):
        frame.drawing.rect(
            frame.x.start, frame.y(agent), frame.x.stop - frame.x.start, frame.line_height, fill="#f7f7f7"
        )
    draw_x_axis(frame.drawing, frame.x, TOP, bottom, "time")
    for agent, name in enumerate(instance.agent_names):
        middle = frame.y(agent) + frame.line_height / 2 + 4
        frame.drawing.text((frame.x.start - 7, middle), _label(name), 11, anchor="end", fill="#333")


def _draw_row(frame: _Frame, instance: Instance, schedule: Schedule, row: int) -> None:
    """Draw one piece: its changeover, its bar, and the job's name where there is room."""
    if schedule.changeover_end[row] > schedule.changeover_start[row]:
        _draw_changeover(frame, instance, schedule, row)
    task, agent = int(schedule.task[row]), int(schedule.agent[row])
    job = int(instance.task_job[task])
    start, end = instance.to_unit(schedule.start[row]), instance.to_unit(schedule.end[row])
    fill, name = color(job), instance.job_names[job]
    tip = f"job {name}, task {_position(instance, task)} on {_label(instance.agent_names[agent])}: {start} to {end}"
    frame.draw_bar(agent, (start, end), name, ink(fill), fill=fill, stroke="#fff", stroke_width=0.6, rx=1.5, tip=tip)


def _draw_changeover(frame: _Frame, instance: Instance, schedule: Schedule, row: int) -> None:
    """Draw the changeover of one piece, and who does it where an operator is needed."""
    agent, job = int(schedule.agent[row]), int(instance.task_job[schedule.task[row]])
    begin, end = (instance.to_unit(time[row]) for time in (schedule.changeover_start, schedule.changeover_end))
    operator = "" if schedule.resource[row] == NO_RESOURCE else f"operator {schedule.resource[row]}"
    told = f"changeover to job {instance.job_names[job]} on {_label(instance.agent_names[agent])}"
    tip = f"{told}{' by ' if operator else ''}{operator}: {begin} to {end}"
    frame.draw_bar(agent, (begin, end), operator.replace("operator ", "op "), "#444", fill="url(#changeover)", tip=tip)


def _position(instance: Instance, task: int) -> int:
    """1-based position of ``task`` within its job."""
    return int(np.count_nonzero(instance.task_job[:task] == instance.task_job[task])) + 1


def _draw_head(frame: _Frame, instance: Instance, schedule: Schedule, title: str | None) -> None:
    end = instance.to_unit(_horizon(schedule))
    text = title if title is not None else f"{instance.name}: makespan {tick_text(end)}"
    frame.drawing.text((frame.x.start, 24), text, 16, font_weight=600)
    x, bottom = frame.x(end), frame.y(instance.num_agents)
    frame.drawing.line((x, TOP - 8), (x, bottom), stroke="#111", stroke_width=1.2, stroke_dasharray="4 3")
    frame.drawing.text((x, TOP - 12), tick_text(end), 11, anchor="end", font_weight=600)
    if np.any(schedule.changeover_end > schedule.changeover_start):
        frame.drawing.rect(frame.x.start, bottom + 26, 22, 11, fill="url(#changeover)")
        frame.drawing.text((frame.x.start + 28, bottom + 35), "changeover", 11, fill="#333")
