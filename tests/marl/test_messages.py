"""Whether the messages of the attention network earn their cost, as its card claims."""

import pytest

from marl.instances import VALIDATION_SEED
from marl.messages import HELD_OUT_SEED, Comparison, compare, silenced
from marl.policies.shipped import shipped_priority
from marl.weights import load_shipped, shipped_names

FAMILIES = [name.removeprefix("policy-") for name in shipped_names() if name.startswith("policy-")]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_card_tells_the_truth_about_messages(family):
    """The card says that messages help if and only if they do by more than the spread of three seeds."""
    policy = shipped_priority("policy", family)
    found = compare(policy, silenced(policy), family)
    assert load_shipped("policy", family).card["messages"] == found.as_card()


def test_both_families_ship_a_network():
    """Weights of `policy` are in the package for job shops and for routes."""
    assert set(FAMILIES) >= {"jsp", "mtsp"}


@pytest.mark.parametrize("family", FAMILIES)
def test_silenced_networks_differ_from_the_prior_and_from_themselves(family):
    """Without messages the network is another function than with them: the comparison compares something."""
    policy = shipped_priority("policy", family)
    assert not (policy.network == silenced(policy).network).all()
    assert (policy.parameters == shipped_priority("tuned", family).parameters).all(), "the prior is the shipped `tuned`"


@pytest.mark.parametrize(("ratios", "helps"), [((1.02, 1.021, 1.019), True), ((1.02, 0.99, 1.0), False)])
def test_help_means_more_than_the_spread(ratios, helps):
    """A gain smaller than the difference between seeds is none."""
    assert Comparison(ratios).helps is helps


def test_held_out_seeds_lie_above_all_others():
    """No instance of the comparison is trained or validated on."""
    assert HELD_OUT_SEED > VALIDATION_SEED + 10**6
