"""The training loop: resume, checkpoints, the best weights kept."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import marl.algorithms.evolution as evolution
import marl.training as training
from marl.weights import WeightsError, load_weights, save_weights
from problems import MakespanError, UnknownNameError
from problems.generators import random_job_shop


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Tiny instances and searches, so that an update takes milliseconds."""
    monkeypatch.setattr(evolution, "training_instance", lambda family, seed: random_job_shop(3, 3, seed))
    monkeypatch.setattr(
        training, "validation_instances", lambda family, count: [random_job_shop(4, 4, 900 + k) for k in range(6)]
    )
    config = evolution.EvolutionConfig(hidden=3, pairs=4, instances=3, steps=10, workers=1)
    monkeypatch.setattr(
        training, "make_algorithm", lambda settings: evolution.EvolutionStrategy(settings.family, settings.seed, config)
    )


def settings(folder, **changes):
    """Settings of a run in ``folder``."""
    folder.mkdir(exist_ok=True)
    base = {"family": "jsp", "policy": "tuned", "algorithm": None, "minutes": 5.0, "updates": 6, "seed": 5}
    return SimpleNamespace(**{**base, "resume": False, "out": folder, **changes})


def run(folder, **changes):
    """Run and return the logged updates and the final state."""
    logged = []
    training.run(settings(folder, **changes), lambda update, values: logged.append((update, dict(values))))
    with np.load(folder / "checkpoint.npz") as stored:
        return logged, {name: stored[name].copy() for name in stored.files}


def test_four_and_two_updates_are_six(tmp_path):
    """C49: a resumed run has the same weights, the same counter and the same metrics as one straight through."""
    straight, state = run(tmp_path / "straight")
    first, _ = run(tmp_path / "split", updates=4)
    second, resumed = run(tmp_path / "split", resume=True)
    assert [update for update, _ in first + second] == [1, 2, 3, 4, 5, 6]
    assert all(np.array_equal(state[name], resumed[name]) for name in state if name != "header")
    losses = [values["train/spread"] for _, values in straight]
    assert losses == [values["train/spread"] for _, values in first + second]


def test_resuming_at_the_target_does_nothing(tmp_path):
    """A finished run is left as it is."""
    _, before = run(tmp_path / "run")
    assert training.run(settings(tmp_path / "run", resume=True), lambda update, values: None) == 0
    logged, after = run(tmp_path / "run", resume=True)
    assert logged == []
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(("change", "message"), [({"seed": 6}, "seed"), ({"policy": "policy"}, "policy")])
def test_a_checkpoint_of_another_run_is_refused(tmp_path, change, message):
    """Resuming with another seed or policy names what differs."""
    run(tmp_path / "run")
    with pytest.raises(MakespanError, match=message):
        run(tmp_path / "run", resume=True, **change)


def test_a_checkpoint_of_another_algorithm_is_refused(tmp_path):
    """A run goes on with its own algorithm only; checkpoints that do not name theirs are of the policy's own."""
    _, state = run(tmp_path / "run")
    with pytest.raises(MakespanError, match="algorithm 'evolution'; asked for 'other'"):
        run(tmp_path / "run", resume=True, algorithm="other")
    header = json.loads(str(state.pop("header")))
    assert header.pop("algorithm") == "evolution" and header.pop("variant") == ""
    np.savez(tmp_path / "run" / "checkpoint.npz", header=np.array(json.dumps(header)), **state)
    run(tmp_path / "run", resume=True)


def test_an_algorithm_tells_its_policy():
    """Without --policy the algorithm decides what is trained; one that nothing has is refused with all there are."""
    assert training.policy_name(None, None) == training.policy_name(None, "evolution") == "tuned"
    assert training.policy_name(None, "mappo") == "policy" and training.policy_name("tuned", "mappo") == "tuned"
    with pytest.raises(UnknownNameError, match=r"evolution \(tuned\)"):
        training.policy_name(None, "none")


def test_an_algorithm_of_several_policies_needs_one(monkeypatch):
    """What is ambiguous is refused, not guessed."""
    monkeypatch.setattr(training, "ALGORITHMS", {"z": {}, "a": {"x": ""}, "b": {"x": "", "y": ""}})
    assert training.policy_name(None, "y") == "b"
    with pytest.raises(MakespanError, match="trains a and b; name one of them with --policy"):
        training.policy_name(None, "x")


def test_the_judgement_of_messages_is_announced(tmp_path, monkeypatch):
    """What takes minutes after the last update is told before it begins."""
    told = []
    monkeypatch.setattr(training, "judge_messages", lambda path, family: told.append("judged"))
    training.run(settings(tmp_path / "run", policy="policy", updates=1), lambda update, values: None, told.append)
    assert told[0].startswith("judging on held-out instances") and told[1:] == ["judged"]


def test_resume_needs_a_checkpoint(tmp_path):
    """Without a checkpoint the message says what to do."""
    with pytest.raises(MakespanError, match="without --resume"):
        run(tmp_path / "empty", resume=True)


def test_the_best_weights_are_kept_with_their_card(tmp_path):
    """The shipped file is the one with the best validation so far, and its card says how it was made."""
    run(tmp_path / "run")
    weights = load_weights(tmp_path / "run" / "tuned-jsp.safetensors")
    weights.require("tuned", "jsp")
    assert weights.card["command"].startswith("python -m training train --family jsp")
    header = json.loads(str(np.load(tmp_path / "run" / "checkpoint.npz")["header"]))
    found = weights.card["validation"]["greedy_objective_relative_to_spt-twkr"]
    assert found == pytest.approx(header["best"], abs=1e-5)


def test_unfit_weights_are_refused_by_name(tmp_path):
    """C47: another family, policy or schema, and a damaged file, are named in one sentence."""
    path = tmp_path / "w.safetensors"
    save_weights(path, {"parameters": np.zeros(3)}, {"policy": "tuned", "families": ["jsp"]})
    weights = load_weights(path)
    with pytest.raises(WeightsError, match=r"jsp.*mtsp"):
        weights.require("tuned", "mtsp")
    with pytest.raises(WeightsError, match=r"policy 'tuned'.*'policy'"):
        weights.require("policy", "jsp")
    weights.card["schema_version"] = 0
    with pytest.raises(WeightsError, match="schema_version 0"):
        weights.require("tuned", "jsp")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(WeightsError, match="SHA-256"):
        load_weights(path)
    path.unlink()
    with pytest.raises(WeightsError, match="could not be read"):
        load_weights(path)


def test_unknown_algorithms_are_named(monkeypatch, tmp_path):
    """The message lists what there is."""
    monkeypatch.undo()
    with pytest.raises(UnknownNameError, match="evolution"):
        training.make_algorithm(settings(tmp_path, algorithm="magic"))


def test_a_run_is_not_written_over(tmp_path):
    """Training without --resume into the folder of a run is refused, and the run stays as it is."""
    run(tmp_path / "run")
    before = (tmp_path / "run/checkpoint.npz").read_bytes()
    with pytest.raises(MakespanError, match="--resume"):
        run(tmp_path / "run")
    assert (tmp_path / "run/checkpoint.npz").read_bytes() == before


def test_a_damaged_checkpoint_is_refused_by_name(tmp_path):
    """What is no checkpoint gives an error with the file's name, whatever is in it."""
    run(tmp_path / "run")
    path = tmp_path / "run/checkpoint.npz"
    whole = path.read_bytes()
    for damaged in (b"junk", b"", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(MakespanError, match="this is no checkpoint"):
            run(tmp_path / "run", resume=True)
