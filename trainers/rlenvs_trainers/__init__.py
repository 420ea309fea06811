"""Learning, in tokens: rollout, credit, objective, learner, samplers, checkpoints."""
