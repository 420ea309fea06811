"""`OpenAIPolicy`: any endpoint that speaks OpenAI's chat completions (a hosted model, vLLM, llama.cpp, Ollama …).

It waits, retries and gives up; a request that cannot be served is that reply's error. The client library is the
extra `openai`, imported when first used.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from rlenvs.errors import RlenvsError
from rlenvs.policies.base import PolicyCapability, Reply, ReplyRequest, Sampling
from rlenvs.policies.completions import NoCompletionError, read_completion
from rlenvs.records import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
RETRIED = frozenset({408, 409, 429})  # and every 5xx: what may well work a moment later
USELESS = frozenset({401, 403, 404})  # every request would meet the same: say so at once
LONGEST_WAIT_S = 60.0  # between two attempts, whatever the server asks for


class EndpointError(RlenvsError):
    """No request can succeed: a wrong key, an unknown model, a wrong address, nobody there."""


def is_address(text: str) -> bool:
    """Whether it is an http(s) address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number, half an IPv6 address
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is served, and how patient to be."""

    model: str
    base_url: str = OPENAI_URL
    key_variable: str = "OPENAI_API_KEY"  # the environment variable with the key; local servers need none
    concurrency: int = 16  # requests in flight
    retries: int = 4  # after the first attempt, with back-off
    backoff_s: float = 1.0  # before the first retry; doubles each time, with up to half of it in jitter
    attempt_timeout_s: float = 300.0
    deadline_s: float = 900.0  # for one reply, waits and retries included

    def __post_init__(self) -> None:
        if not self.model:
            raise ValueError("an endpoint needs a model's name: openai:MODEL@URL")
        if not is_address(self.base_url):
            raise ValueError(f"an endpoint's address is like http://localhost:8000/v1: got {self.base_url!r}")
        if self.concurrency < 1 or self.retries < 0:
            raise ValueError(f"concurrency >= 1 and retries >= 0: got {self.concurrency} and {self.retries}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIPolicy:
    """Replies from an endpoint, many requests at once."""

    endpoint: Endpoint
    sampling: Sampling = field(default_factory=Sampling)
    capabilities: frozenset[PolicyCapability] = field(default=frozenset({"concurrent"}), init=False)
    _connection: _Connection = field(default_factory=lambda: _Connection(), init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return f"openai:{self.endpoint.model}@{self.endpoint.base_url}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """How it samples."""
        return asdict(self.sampling)

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        """Each reply when the endpoint has given it, whichever is first.

        Raises:
            EndpointError: the key is refused, the model or address is unknown, or nobody was ever there. (Who was there
                before and cannot be reached for a while is an error of each reply.)
        """
        async with self._connection.opened(self.endpoint) as (client, slots):

            async def placed(place: int, request: ReplyRequest) -> tuple[int, Reply]:
                return place, await self._one(client, request, slots)

            tasks = [asyncio.create_task(placed(place, request)) for place, request in enumerate(requests)]
            try:
                for ended in asyncio.as_completed(tasks):
                    yield await ended
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, client: AsyncOpenAI, request: ReplyRequest, slots: asyncio.Semaphore) -> Reply:
        async with slots:
            try:
                async with asyncio.timeout(self.endpoint.deadline_s):
                    return await self._patiently(client, request)
            except TimeoutError:
                return Reply(error=f"no reply within {self.endpoint.deadline_s:g} s")

    async def _patiently(self, client: AsyncOpenAI, request: ReplyRequest) -> Reply:
        rng = np.random.default_rng(request.seed)  # a generator of its own: the global one belongs to the user
        for attempt in range(self.endpoint.retries + 1):
            is_last = attempt == self.endpoint.retries
            reply, asked_s = await self._attempt(client, request, is_last=is_last)
            if asked_s is None or is_last:
                break
            backoff_s = self.endpoint.backoff_s * 2**attempt * (1 + 0.5 * rng.random())
            await asyncio.sleep(min(max(backoff_s, asked_s), LONGEST_WAIT_S))
        return reply

    async def _attempt(
        self, client: AsyncOpenAI, request: ReplyRequest, *, is_last: bool
    ) -> tuple[Reply, float | None]:
        """A reply, and how many seconds to wait before another attempt (None: there is no point in one)."""
        import openai

        try:
            raw = await client.chat.completions.with_raw_response.create(**self._body(request))
            self._connection.was_accepted = True
            return self._ended(read_completion(raw.http_response.text)), None
        except openai.APIStatusError as error:
            self._connection.was_accepted = True
            return self._refused(error)
        except NoCompletionError as error:
            return Reply(error=str(error)), 0.0
        except openai.APIConnectionError as error:
            cause = f" ({error.__cause__})" if error.__cause__ else ""
            why = f"{self.endpoint.base_url} cannot be reached: {error}{cause}"
            met = type(error.__cause__).__name__  # of httpx or of httpx2: the client's version decides which is there
            if met not in ("ConnectError", "ConnectTimeout"):  # slow to answer, or cut off: somebody is there
                self._connection.was_accepted = True
            if is_last and met == "ConnectError" and not self._connection.was_accepted:
                asked = f"asked {self.endpoint.retries + 1} times, and nobody has ever accepted a connection"
                raise EndpointError(f"{why}; {asked}. Is the server running, and is this its whole address?") from error
            return Reply(error=why), 0.0

    def _ended(self, reply: Reply) -> Reply:
        """The reply up to the end of its first stop text, by which it ended itself.

        Stop texts are not sent: servers drop the one that they met and do not say which it was, and it is part of the
        message.
        """
        text = self.sampling.ended(reply.text)
        is_ended = text.endswith(self.sampling.stop) and not reply.error
        return replace(reply, text=text, finish="stop") if is_ended else reply

    def _body(self, request: ReplyRequest) -> dict[str, Any]:
        sampling = self.sampling
        hosted = self.endpoint.base_url == OPENAI_URL  # its newer models refuse the older name of the limit
        body = {
            "model": self.endpoint.model,
            "messages": [_chat(message) for message in request.messages],
            "seed": request.seed % 2**31,  # several servers read a 32-bit integer
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_completion_tokens" if hosted else "max_tokens": sampling.max_tokens,
        }
        return body | ({"extra_body": {"top_k": sampling.top_k}} if sampling.top_k else {})

    def _refused(self, error: Any) -> tuple[Reply, float | None]:
        status, said = error.status_code, str(error.message)[:500]
        if status in USELESS:
            hint = f"Is the model served there, and is {self.endpoint.base_url} the whole address?"
            if status != 404:
                hint = f"Is the key in the environment variable {self.endpoint.key_variable} right?"
            raise EndpointError(f"{self.name} answers {status} ({said}), and would to every request. {hint}")
        if status == 400 and ("context_length" in str(error.code) or "context length" in said):
            return Reply(finish="overflow"), None
        may_retry = status in RETRIED or status >= 500
        return Reply(error=f"HTTP {status}: {said}"), _retry_after_s(error) if may_retry else None


class _Connection:
    """The client and the slots for requests that all calls in flight share. For one event loop at a time."""

    def __init__(self) -> None:
        self.was_accepted = False  # ever, whatever came of it: somebody is there
        self._num_users = 0
        self._shared: tuple[AsyncOpenAI, asyncio.Semaphore] | None = None

    @asynccontextmanager
    async def opened(self, endpoint: Endpoint) -> AsyncIterator[tuple[AsyncOpenAI, asyncio.Semaphore]]:
        """Both: the first call opens them, the last one that ends closes them."""
        shared = self._shared or (_client(endpoint), asyncio.Semaphore(endpoint.concurrency))
        self._shared = shared
        self._num_users += 1
        try:
            yield shared
        finally:
            self._num_users -= 1
            if not self._num_users:
                self._shared = None
                await shared[0].close()


def _client(endpoint: Endpoint) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise RlenvsError("endpoints need the openai client: pip install 'rlenvs-llm[openai]'") from error
    return AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=os.environ.get(endpoint.key_variable) or "none",
        timeout=endpoint.attempt_timeout_s,
        max_retries=0,  # its own retries draw from the global random state and know no deadline
    )


def _chat(message: Message) -> dict[str, str]:
    """A message in OpenAI's form. Tool messages there answer a call by its id; ours are words of the world."""
    role = "user" if message.role == "tool" else message.role
    return {"role": role, "content": message.content}


def _retry_after_s(error: Any) -> float:
    """The seconds that the server asks to wait; 0 if it does not."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:  # a date: rare, and the back-off does as well
        return 0.0
