"""A contract net: agents bid for tasks with the best place in their own sequences, and the highest bid is awarded."""
