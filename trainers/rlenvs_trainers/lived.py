"""From an episode that is over, and what a seat read and wrote in it, to the seat's trajectory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rlenvs.episode import Episode, Outcome
from rlenvs_trainers.records import Branch, Reward, Trajectory, Turn

if TYPE_CHECKING:
    from rlenvs_trainers.play import Play
    from rlenvs_trainers.seat_log import SeatLog


def trajectory_of(play: Play, seat: str, log: SeatLog, *, answer: str | None) -> Trajectory:
    """What one seat lived through in a play that is over.

    Args:
        log: of that seat.
        answer: how a right first action of it would look; None: nobody said.
    """
    outcome = _outcome(play.episode, seat, log)
    parts = outcome.verdict.parts if outcome.verdict is not None else ()
    return Trajectory(
        episode=play.name,
        task=play.episode.task,
        seat=seat,
        policy=play.rollouts.player(seat).policy,
        attempt=play.attempt,
        turns=_turns(play.episode, seat, log),
        ending=outcome.ending,
        verdict=outcome.verdict,
        prompt=log.prompt,
        answer=answer,
        final_belief=log.final_belief,
        rewards=(
            *(Reward(name=part.name, value=part.weighted) for part in parts),
            *(replace(reward, level="trajectory") for reward in log.early),  # it never acted
        ),
        branch=_branch(play, log),
        error=outcome.error,
    )


def _outcome(episode: Episode, seat: str, log: SeatLog) -> Outcome:
    """How it ended for the seat. Where its turn never came, whatever it was given says nothing of what it does.

    As a sibling such an attempt would make those in which it acted look better or worse than they are.
    """
    outcome = episode.outcome(seat)
    if outcome.verdict is None or log.context is not None:
        return outcome
    why = f"the turn of {seat!r} never came: the episode ended before it, as {outcome.ending!r}"
    return Outcome(ending="unscored", verdict=None, error=why)


def _turns(episode: Episode, seat: str, log: SeatLog) -> tuple[Turn, ...]:
    """Its turns, the last one with what it was told and did not answer."""
    if not log.turns:
        return ()
    *before, last = log.turns
    return (*before, replace(last, reply=(*last.reply, *episode.last_words(seat))))


def _branch(play: Play, log: SeatLog) -> Branch | None:
    if play.tree is None and not play.log_weight:
        return None
    tree = play.attempt if play.tree is None else play.tree  # one that was weighted and never forked
    return Branch(tree=tree, parent=log.shared, log_weight=play.log_weight)
