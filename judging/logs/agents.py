"""Agents: the texts by which browsers name themselves, each kept once."""

from functools import lru_cache

from judging.models import Agent

LONGEST = 300


def agent_number(text: str) -> int | None:
    return known_agent(text[:LONGEST]) if text else None


@lru_cache(maxsize=2048)
def known_agent(text: str) -> int:
    return Agent.objects.get_or_create(text=text)[0].pk
