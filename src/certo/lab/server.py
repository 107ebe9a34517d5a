"""The server of the laboratory: one page, one socket for each tab, and nobody else.

It listens on 127.0.0.1 alone, answers to no other name (a name of somebody else's that leads here
is DNS rebinding), and to nobody without the token, which is in every address. Everything that the
page needs comes from here: nothing is loaded from elsewhere, and its policy forbids that.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import secrets
import socket
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from certo.data.problem import Problem
from certo.lab import USUAL_PORT
from certo.lab.uploads import MAX_UPLOAD_BYTES, read_upload, too_large

HOST = "127.0.0.1"
MAX_TABS = 16
MAX_MESSAGE_BYTES = 2**18
MEDIA_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript",
         "json": "application/json", "svg": "image/svg+xml"}  # fmt: skip
#: A page that was opened here keeps the token, so that links of the documentation, and those that
#: were shared, find the way though they cannot know it. A refused request runs nothing but this,
#: and learns nothing by it.
FORWARD = """
const token = localStorage.getItem("token"), own = `/${token}/`;
if (token && !location.pathname.startsWith(own)) location.replace(own + location.hash);
else if (/^#[\\w?=&%.~-]+$/.test(location.hash)) // Safe to be pasted into a shell.
  document.body.append(`What this link shows is opened by: certo lab '${location.hash.slice(1)}'`);
"""


class Doorkeeper:
    """Refuses what is not meant for this server, before anything else is done."""

    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self.app, self.host, self.token = app, host, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            if scope["type"] == "http":
                send = self._with_headers(send)
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            status, why = refusal
            await _refused(status, why)(scope, receive, self._with_headers(send, FORWARD))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused, and its status; None, if it is not."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if host != self.host:
            return 421, f"This laboratory answers to {self.host} alone, not to {host[:80]!r}."
        origin = headers.get(b"origin")
        own = f"http://{self.host}".encode()
        if origin is not None and origin != own:
            return 403, "This request comes from a page that is not of this laboratory."
        if scope["type"] == "websocket" and origin is None:
            return 403, "A socket is opened by the page of this laboratory alone."
        first = scope["path"].split("/")[1] if "/" in scope["path"] else ""
        if not secrets.compare_digest(first.encode(), self.token.encode()):
            return 403, (
                "The address lacks the token of this laboratory, or has another one. Open the "
                "address that `certo lab` printed when it was started."
            )
        return None

    def _with_headers(self, send: Send, script: str = "") -> Send:
        allowed = "'self'"
        if script:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            allowed = f"'sha256-{digest}'"
        policy = (
            f"default-src 'none'; script-src {allowed}; style-src 'self'; img-src 'self' data: "
            f"blob:; connect-src 'self' ws://{self.host}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        more = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cache-control": "no-store",
        }
        pairs = [(name.encode(), value.encode()) for name, value in more.items()]

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *pairs]
            await send(message)

        return with_headers


def _refused(status: int, why: str) -> Response:
    page = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>certo lab: refused</title>"
        f"<h1>Refused</h1><p>{_escaped(why)}</p><script>{FORWARD}</script></html>"
    )
    return Response(page, status, media_type="text/html")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Laboratory:
    """The application: the files of the page, sockets, and uploads."""

    def __init__(self, host: str, token: str) -> None:
        self.executor = ThreadPoolExecutor(3 * MAX_TABS, thread_name_prefix="lab")
        self.sessions: dict[str, Any] = {}  # By the name that a tab gives itself.
        folder = files("certo.lab").joinpath("page")
        self.assets = {
            item.name: (item.read_bytes(), MEDIA_TYPES[item.name.rpartition(".")[2]])
            for item in folder.iterdir()
            if item.name.rpartition(".")[2] in MEDIA_TYPES
        }
        routes = [
            WebSocketRoute("/{token}/socket", self.socket),
            Route("/{token}/table", self.upload, methods=["POST"]),
            Route("/{token}/{name:path}", self.asset),
        ]
        app = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing})
        self.app = Doorkeeper(app, host, token)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if name not in self.assets:
            return _refused(404, f"There is nothing called {name[:80]!r} here.")
        content, kind = self.assets[name]
        return Response(content, media_type=kind)

    async def socket(self, socket: WebSocket) -> None:
        await socket.accept()
        if len(self.sessions) >= MAX_TABS:
            why = f"at most {MAX_TABS} tabs can be open at once. Close one of them."
            await socket.send_json({"ask": "tab", "refused": why})
            await socket.close(1013)
            return
        loop = asyncio.get_running_loop()
        # What learns is loaded when the first tab is there: the page is painted by then.
        session_of = await loop.run_in_executor(self.executor, _session_class)
        name, gone = secrets.token_urlsafe(12), asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            if not gone.is_set():
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await socket.send_text(json.dumps(message, allow_nan=False))

        session = session_of(send, self.executor)
        self.sessions[name] = session
        try:
            await send({"ask": "tab", "tab": name})
            while True:
                try:
                    question = json.loads(await socket.receive_text())
                except (ValueError, KeyError, RecursionError):
                    await send({"refused": "a question must be JSON."})
                    continue
                await session.ask(question)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            gone.set()
            del self.sessions[name]
            await session.end()

    async def upload(self, request: Request) -> Response:
        """A table, for the tab that says its name."""
        session = self.sessions.get(request.headers.get("x-tab", ""))
        if session is None:
            return _problem(403, "a table belongs to an open tab.")
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > MAX_UPLOAD_BYTES:
            return _problem(413, too_large(int(length)))
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > MAX_UPLOAD_BYTES:
                return _problem(413, too_large(len(content)))
        name = unquote(request.headers.get("x-name", "table.csv"))
        loop = asyncio.get_running_loop()
        try:
            table = await loop.run_in_executor(self.executor, read_upload, name, bytes(content))
        except Problem as wrong:
            return _problem(400, str(wrong))
        except Exception as wrong:  # Whatever a file does to its reader, the server goes on.
            return _problem(400, f"the file cannot be read as a table: {wrong}")
        session.table = table
        return JSONResponse({"table": table.describe()})


def _session_class() -> Any:
    from certo.lab.session import Session

    return Session


def _warm_up(is_over: threading.Event) -> None:
    """Load what learns, and its machine code, while the browser starts."""
    from certo.lab.experiment import Asked, Job
    from certo.lab.experiments import EXPERIMENTS
    from certo.lab.state import State

    _session_class()
    for name in EXPERIMENTS:
        if is_over.is_set():
            return
        state = State.of_link(name)
        run = state.experiment.run(Asked(state.bench, state.chosen, state.world, Job()))
        run.frame(run.steps if run.opens_at is None else run.opens_at, Job())


def _problem(status: int, why: str) -> Response:
    return JSONResponse({"refused": why}, status)


async def _missing(request: Request, wrong: Exception) -> Response:
    return _refused(404, "There is nothing like this here.")


def bound_socket(port: int | None) -> socket.socket:
    """A socket at this port; without one at the usual port, or at a free one if that is taken. An
    OSError, if the port asked for is taken."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, wanted))
            sock.listen()  # Whoever reads the address can connect, and waits for an answer.
            return sock
        except OSError:
            sock.close()
            if wanted == 0 or port is not None:
                raise
    raise AssertionError("a free port was asked for")


class Server:
    """A laboratory at a socket: `address` is where to open it, `run` serves until Ctrl-C."""

    def __init__(self, port: int | None = None, link: str = "") -> None:
        self.socket = bound_socket(port)
        host = f"{HOST}:{self.socket.getsockname()[1]}"
        token = secrets.token_urlsafe(24)
        self.address = f"http://{host}/{token}/" + (f"#{link}" if link else "")
        self.laboratory = Laboratory(host, token)
        config = uvicorn.Config(
            self.laboratory.app, log_level="critical", access_log=False, lifespan="off",
            ws="websockets-sansio", ws_max_size=MAX_MESSAGE_BYTES, timeout_graceful_shutdown=1,
            server_header=False,
        )  # fmt: skip
        self.server = uvicorn.Server(config)

    def run(self) -> None:
        warnings.simplefilter("ignore")  # Facts say what a fit would warn of.
        is_over = threading.Event()
        self.laboratory.executor.submit(_warm_up, is_over)
        try:
            self.server.run(sockets=[self.socket])
        finally:
            is_over.set()
            for session in self.laboratory.sessions.values():
                session.cancel()
            self.laboratory.executor.shutdown(wait=False, cancel_futures=True)
