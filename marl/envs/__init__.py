"""PettingZoo environments over the simulator; they know no family by name. Importing this registers them."""

from marl.envs.registration import register_environments

__all__ = ["register_environments"]

register_environments()
