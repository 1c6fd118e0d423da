"""Files of instances and schedules."""

from problems.formats.registry import FORMATS, Format, FormatEntry, parse_instance, read_instance, write_instance
from problems.formats.schedules import read_schedule, write_schedule
from problems.formats.source import Source, read_source, write_text

__all__ = [
    "FORMATS",
    "Format",
    "FormatEntry",
    "Source",
    "parse_instance",
    "read_instance",
    "read_schedule",
    "read_source",
    "write_instance",
    "write_schedule",
    "write_text",
]
