"""From a state to what a policy sees: candidate features, the agent-task graph, the network over it."""
