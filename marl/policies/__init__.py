"""The two shipped policies: `tuned`, a small priority, and `policy`, the attention network on top of it."""
