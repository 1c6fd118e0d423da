"""TSPLIB files, read as multiple travelling salesmen problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from problems import FormatError, Instance, UnsupportedError
from problems.families import multiple_tsp
from problems.formats import Source, parse_instance, read_instance
from problems.formats.tsplib import write
from problems.generators import random_job_shop, random_multiple_tsp

HEAD = "NAME : four\nTYPE : TSP\nCOMMENT : a: b\nDIMENSION: 4\nEDGE_WEIGHT_TYPE : EUC_2D\n"
CITIES = "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 -8 -6\n4 0.0 1.3e+01\n"
PLACES = [[0, 0], [3, 4], [-8, -6], [0, 13]]


def read(text: str, agents: int | None = 2) -> Instance:
    return parse_instance(Source(Path("four.tsp"), text), agents=agents)


@pytest.mark.parametrize("agents", [2, 3, 5])
def test_cities_and_salesmen(agents: int) -> None:
    """The first city is the depot and the caller says how many salesmen there are, more than cities included (C31)."""
    instance = read(HEAD + CITIES + "EOF\n", agents)
    assert instance == multiple_tsp(f"four-m{agents}", PLACES, agents)
    assert instance.num_tasks == 3
    assert instance.changeover is not None
    assert instance.changeover.times[0, 0].tolist() == [0, 50_000, 100_000, 130_000]


@pytest.mark.parametrize(
    "text",
    [
        (HEAD + CITIES).replace("\n", "\r\n"),
        HEAD + CITIES.replace(" ", "\t") + "DEPOT_SECTION\n1\n-1\nEOF\nwhat follows is not read\n",
        HEAD.replace("TYPE : TSP", "TYPE : TSP (M. Example)") + "NODE_COORD_TYPE : TWOD_COORDS\n" + CITIES,
        "four EUC_2D 2\n\n1 0 0\n2 3.0e0 4\n3 -8 -6\n4 0 13\n",
    ],
    ids=["CRLF", "tabs and depot", "type with a remark", "compact header"],
)
def test_variants_give_one_instance(text: str) -> None:
    """Line ends, tabs, scientific notation, end marks and the compact header do not change the instance."""
    assert read(text) == multiple_tsp("four-m2", PLACES, 2)


def test_number_of_salesmen_in_the_file() -> None:
    """The entry SALESMEN is used unless the caller says otherwise."""
    text = HEAD + "SALESMEN : 3\n" + CITIES
    assert read(text, None).num_agents == 3
    assert read(text, 5).num_agents == 5


def test_duplicates_and_a_city_on_the_depot_stay() -> None:
    """Cities at one place, or on the depot, are five cities (C32)."""
    text = "TYPE : TSP\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n0 0 0\n1 0 0\n2 1 0\n3 1 0\n4 0 2\n5 0 2\n"
    instance = read(text)
    assert instance.num_tasks == 5
    assert instance.changeover is not None
    assert instance.changeover.times[0, 0].tolist() == [0, 0, 10**5, 10**5, 2 * 10**5, 2 * 10**5]


def test_the_way_back_is_part_of_a_route() -> None:
    """Salesmen return to the depot (C34)."""
    instance = read(HEAD + CITIES)
    assert instance.changeover is not None
    assert instance.changeover.returns
    assert instance.changeover.agent_home.tolist() == [0, 0]


def test_unit_square_keeps_its_distances() -> None:
    """Small coordinates get a finer scale, so that no distance collapses to zero (C35)."""
    places = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.3], [0.4, 0.95], [0.15, 0.8], [0.7, 0.75]]
    cities = "".join(f"{number} {x} {y}\n" for number, (x, y) in enumerate(places, 1))
    instance = read("TYPE : TSP\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n" + cities)
    assert instance.scale == 10**6
    assert instance.changeover is not None
    assert instance.changeover.times[0, 0, 1:].min() > 200_000
    assert instance.coordinates is not None
    assert instance.coordinates.tolist() == places


BROKEN = {
    "no salesmen": (HEAD + CITIES, None, None, "does not say how many salesmen"),
    "other weights": (HEAD.replace("EUC_2D", "GEO") + CITIES, 2, 5, "EDGE_WEIGHT_TYPE GEO is not supported"),
    "explicit": (HEAD.replace("EUC_2D", "EXPLICIT") + "EDGE_WEIGHT_FORMAT : FULL_MATRIX\n", 2, 6, "EDGE_WEIGHT_FORMAT"),
    "no weights": ("TYPE : TSP\n" + CITIES, 2, None, "has no EDGE_WEIGHT_TYPE"),
    "other type": (HEAD.replace(": TSP", ": CVRP") + CITIES, 2, 2, "TYPE CVRP is not supported"),
    "no cities": (HEAD, 2, None, "has no NODE_COORD_SECTION"),
    "empty section": ("EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\nEOF\n", 2, None, "found 0 cities"),
    "other dimension": (HEAD.replace("4", "5") + CITIES, 2, 10, "found 4 cities; expected 5"),
    "three coordinates": (HEAD + CITIES.replace("2 3 4", "2 3 4 5"), 2, 8, "found 4 words"),
    "word": (HEAD + CITIES.replace("2 3 4", "2 3 four"), 2, 8, "coordinate is 'four'"),
    "huge": (HEAD + CITIES.replace("2 3 4", "2 3 1e300"), 2, 8, "expected a number below 1e99"),
    "nan": (HEAD + CITIES.replace("2 3 4", "2 3 nan"), 2, 8, "coordinate is 'nan'"),
    "city twice": (HEAD + CITIES.replace("3 -8", "2 -8"), 2, 9, "city 2 appears twice"),
    "other depot": (HEAD + CITIES + "DEPOT_SECTION\n2\n-1\n", 2, 12, "depot 2 is not supported"),
    "other section": (HEAD + CITIES + "FIXED_EDGES_SECTION\n", 2, 11, "FIXED_EDGES_SECTION is not supported"),
    "second section": (HEAD + CITIES + CITIES, 2, 11, "a second NODE_COORD_SECTION"),
    "second entry": (HEAD + "TYPE : TSP\n" + CITIES, 2, 6, "a second TYPE"),
    "stray line": (HEAD + "hello\n" + CITIES, 2, 6, "expected 'KEY : value'"),
    "no salesman": (HEAD + CITIES, 0, None, "agents is 0"),
    "three dimensions": (HEAD + "NODE_COORD_TYPE : THREED_COORDS\n" + CITIES, 2, 6, "THREED_COORDS is not supported"),
    "too far": (HEAD + CITIES.replace("1.3e+01", "1.3e90"), 2, None, "too large"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused(case: str) -> None:
    """Each mistake is refused with file and line; what is not supported is named."""
    text, agents, line, message = BROKEN[case]
    with pytest.raises(FormatError, match=message) as error:
        read(text, agents)
    assert error.value.line == line
    assert str(error.value).startswith("four.tsp:")


def test_round_trip() -> None:
    """Writing and reading cities gives an equal instance, the number of salesmen included."""
    instance = random_multiple_tsp(6, 3, seed=5).replace(name="four-m3")
    assert read(write(instance), None) == instance
    again = parse_instance(Source(Path("four-m3.tsp"), write(instance)))
    assert again == instance
    assert parse_instance(Source(Path("four-m3.tsp"), write(instance)), agents=5).name == "four-m5"


def test_other_problems_are_refused_by_name() -> None:
    """Only plain multiple travelling salesmen problems are written."""
    with pytest.raises(UnsupportedError, match="family jsp"):
        write(random_job_shop(2, 2, 0))
    with pytest.raises(UnsupportedError, match="TSPLIB carries"):
        write(random_multiple_tsp(3, 2, 0).replace(retire=True))


@pytest.mark.shared
def test_public_cities(shared: Path) -> None:
    """Every public file of cities is read with the dimension that it announces."""
    files = sorted((shared / "bench/mtsp").glob("*.tsp"))
    assert len(files) == 12
    for file in files:
        instance = read_instance(file, family="mtsp", agents=3)
        assert f"DIMENSION: {instance.num_tasks + 1}" in file.read_text()
        assert read(write(instance), None) == instance.replace(name="four-m3")
