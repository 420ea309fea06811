"""A real HTTP server on the loopback interface, well and badly behaved, and a policy that asks it."""

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rlenvs.policies.base import Reply, ReplyRequest, Sampling
from rlenvs.policies.openai import Endpoint, OpenAIPolicy
from rlenvs.records import user


class Server:
    """Answers every request by the next of `script`: (status, body or text, seconds to wait); then by echo."""

    def __init__(self) -> None:
        self.script: list[tuple[int, Any, float]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.headers: dict[str, str] = {}
        self.dropped = ""  # the message whose connection is closed without an answer
        self.slow, self.gate = "", threading.Event()  # the message that is answered once the gate is open
        self.meeting: threading.Barrier | None = None  # where requests wait for each other before they are answered
        self.in_flight = self.most_in_flight = 0
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler below
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server.lock:
                    server.requests.append(request)
                    server.keys.append(self.headers["authorization"])
                    server.in_flight += 1
                    server.most_in_flight = max(server.most_in_flight, server.in_flight)
                    status, body, wait_s = server.script.pop(0) if server.script else (200, echo(request), 0.0)
                if server.meeting:
                    server.meeting.wait(30)
                if request["messages"][-1]["content"] == server.slow:
                    server.gate.wait(10)
                time.sleep(wait_s)
                with server.lock:
                    server.in_flight -= 1
                if request["messages"][-1]["content"] == server.dropped:
                    self.close_connection = True
                    return
                self.answer(status, body if isinstance(body, str) else json.dumps(body))

            def answer(self, status: int, body: str) -> None:
                try:
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body.encode())))
                    for name, value in server.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body.encode())
                except BrokenPipeError:  # the client gave up, as some of these tests mean it to
                    pass

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


def completion(content: Any, *, tokens: Any = 3, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": {"completion_tokens": tokens}}


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return completion("echo " + request["messages"][-1]["content"])


def policy(server: Server, sampling: Sampling | None = None, **options: Any) -> OpenAIPolicy:
    endpoint = Endpoint(**{"model": "m", "base_url": server.url, "backoff_s": 0.01, "retries": 2, **options})
    return OpenAIPolicy(endpoint=endpoint, sampling=sampling or Sampling())


def replies_to(policy: OpenAIPolicy, requests: Sequence[ReplyRequest]) -> list[Reply]:
    """In the order of the requests."""

    async def asked() -> dict[int, Reply]:
        return {place: reply async for place, reply in policy.replies(requests)}

    replies = asyncio.run(asked())
    return [replies[place] for place in range(len(requests))]


def ask(policy: OpenAIPolicy, *texts: str) -> list[Reply]:
    return replies_to(policy, [ReplyRequest(key=text, messages=(user(text),), seed=7 + 2**40) for text in texts])
