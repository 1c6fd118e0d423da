"""Options and fixtures of the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shared", type=Path, default=None, help="folder of public instances; runs the tests on them")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--shared")
    if folder is not None and not (folder / "bench").is_dir():
        raise pytest.UsageError(f"--shared {folder}: there is no folder 'bench' in it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--shared") is None:
        for item in items:
            if item.get_closest_marker("shared"):
                item.add_marker(pytest.mark.skip(reason="needs --shared=PATH"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """With --shared every test must run: a skip counts as a failure."""
    report = yield
    if report.skipped and item.config.getoption("--shared") is not None and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"skipped although --shared is given: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared(request: pytest.FixtureRequest) -> Path:
    """Folder of public instances."""
    folder = request.config.getoption("--shared")
    if folder is None:
        pytest.fail("a test that uses the fixture 'shared' must be marked @pytest.mark.shared")
    return folder.resolve()
