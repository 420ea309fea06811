"""Environments for reinforcement learning of language models, with Gymnasium's contract."""
