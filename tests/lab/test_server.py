"""The door: this host name, this token, this origin, and nothing too large."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import struct
import threading
import warnings
from typing import NamedTuple

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

from certo.lab import server as servers
from certo.lab.server import Server, bound_socket


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Live:
    """A server that runs, and requests to it as any program can send them."""

    def __init__(self, server: Server) -> None:
        self.host, self.token = server.address.split("/")[2:4]
        self.laboratory = server.laboratory
        self.own = {"origin": f"http://{self.host}"}

    def ask(self, path: str, method: str = "GET", headers=None, body=None) -> Got:
        connection = http.client.HTTPConnection(self.host, timeout=120)
        with contextlib.closing(connection):
            given = {"Host": self.host} | (headers or {})
            connection.putrequest(method, path, skip_host=True)
            for name, value in given.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in given:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # Refused by then.
                connection.send(body or b"")
            answer = connection.getresponse()
            content = answer.read().decode("utf-8", "replace")
            return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, content)

    def page(self, name: str = "", **more) -> Got:
        return self.ask(f"/{self.token}/{name}", **more)

    @contextlib.contextmanager
    def tab(self, headers=None, token=None):
        address = f"ws://{self.host}/{token or self.token}/socket"
        given = self.own if headers is None else headers
        with connect(address, additional_headers=given, proxy=None, max_size=2**22) as tab:
            yield tab


@contextlib.contextmanager
def running(server: Server):
    thread = threading.Thread(target=server.run)
    with warnings.catch_warnings(action="ignore"):
        thread.start()
        try:
            yield Live(server)
        finally:
            server.server.should_exit = True
            thread.join(120)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def live():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "_warm_up", lambda is_over: None)
        with running(Server(0)) as found:
            yield found


def heard(tab) -> dict:
    return json.loads(tab.recv(timeout=120))


def test_every_file_of_the_page_is_served_and_all_are_small(live):
    page = live.page()
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    names = {*re.findall(r'(?:src|href)="([^"#]+)"', page.text), "words.json"}
    sources = [live.page(name) for name in names]
    scripts = {m for got in sources for m in re.findall(r'from "\./([^"]+)"', got.text)}
    sources += [live.page(name) for name in scripts]
    assert all(got.status == 200 for got in sources)
    assert sum(len(got.text.encode()) for got in (page, *sources)) < 5e6
    assert len(scripts) >= 6


def test_nothing_is_loaded_from_elsewhere(live):
    policy = live.page().headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    for content, _ in live.laboratory.assets.values():
        text = content.decode()
        addresses = set(re.findall(r"https?://[\w./-]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}
        assert not re.search(r"\son\w+=\"|javascript:|\sstyle=\"", text)


def test_without_the_token_nothing_is_served(live):
    token = live.token
    for path in ("/", "/wrong/", f"/{token}x/", f"/{token[:-1]}/", "/wrong/main.js", f"//{token}/",
                 "/%00/", "*", f"/{token.upper()}/"):  # fmt: skip
        got = live.ask(path)
        assert got.status in (400, 403)
        assert token not in got.text
        assert got.status == 400 or ("token" in got.text and "certo lab" in got.text)


@pytest.mark.parametrize("host", ["example.com", "example.com:9999", "localhost", "127.0.0.1", "",
                                  "127.0.0.1:1", "<script>alert(1)</script>"])  # fmt: skip
def test_no_other_host_name_is_answered(live, host):
    got = live.page(headers={"Host": host})
    assert got.status in (400, 421)
    assert got.status == 400 or f"answers to {live.host} alone" in got.text
    assert "<script>alert" not in got.text
    assert live.page().status == 200


def test_other_origins_are_refused(live):
    elsewhere = {"origin": "http://example.com"}
    assert live.page("table", method="POST", headers=elsewhere, body=b"").status == 403
    for headers in ({}, elsewhere, {"origin": "null"}):
        with pytest.raises((InvalidHandshake, ConnectionClosed)), live.tab(headers):
            pass
    with pytest.raises((InvalidHandshake, ConnectionClosed)), live.tab(token="wrong"):
        pass


@pytest.mark.parametrize("path", ["nothing.js", "../server.py", "..%2fserver.py", "a/b", "%00"])
def test_other_files_are_not_served(live, path):
    got = live.page(path)
    assert got.status in (403, 404)
    assert "import " not in got.text
    assert live.page("main.js", method="PUT").status == 404


def test_a_socket_answers_and_survives_what_is_no_question(live):
    with live.tab() as tab:
        assert heard(tab)["ask"] == "tab"
        for nonsense in ("", "{", "[" * 20000, '"text"', "1e999", '{"ask": "look", "state": 1}'):
            tab.send(nonsense)
            assert "refused" in heard(tab)
        tab.send(json.dumps({"id": 1, "ask": "hello"}))
        assert len(heard(tab)["experiments"]) == 10
    with live.tab() as tab:
        heard(tab)
        tab.send("x" * 2**20)
        with pytest.raises(ConnectionClosed):  # Far too long: the socket is closed.
            heard(tab)
    with live.tab() as tab:
        assert heard(tab)["ask"] == "tab"


def test_a_table_belongs_to_an_open_tab(live):
    content = b"a,b,c\n1,2,x\n3,4,y\n"
    post = {"method": "POST", "body": content}
    assert live.page("table", headers=live.own, **post).status == 403
    with live.tab() as tab:
        named = {**live.own, "x-tab": heard(tab)["tab"], "x-name": "my%20table.csv"}
        got = live.page("table", headers=named, **post)
        assert json.loads(got.text)["table"]["name"] == "my table.csv"
        for wrong, status in ((b"", 400), (b"\0" * 100, 400), (b"1,2\n" * 2**21, 413)):
            refused = live.page("table", method="POST", headers=named, body=wrong)
            assert refused.status == status
            assert len(json.loads(refused.text)["refused"]) > 20
        # Of no length that is known beforehand.
        chunk = b"%x\r\n%s\r\n" % (2**20, b"1,2\n" * 2**18)
        chunked = named | {"Transfer-Encoding": "chunked", "Content-Length": ""}
        del chunked["Content-Length"]
        got = self_chunked(live, chunked, [chunk] * 9 + [b"0\r\n\r\n"])
        assert got.startswith(b"HTTP/1.1 413")
        asked = {"first": "a", "second": "b", "label": "c", "positive": "x"}
        tab.send(json.dumps({"id": 1, "ask": "columns", **asked}))
        assert len(heard(tab)["points"]) == 2


def self_chunked(live, headers, chunks) -> bytes:
    """The beginning of the answer to a request that is sent in chunks."""
    host, port = live.host.split(":")
    lines = [f"POST /{live.token}/table HTTP/1.1", f"Host: {live.host}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection((host, int(port)), timeout=120) as sock:
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for chunk in chunks:
                sock.sendall(chunk)
        return sock.recv(100)


def test_tabs_are_limited_and_leave_nothing_behind(live, monkeypatch):
    monkeypatch.setattr(servers, "MAX_TABS", 1)
    with live.tab() as tab:
        heard(tab)
        with live.tab() as other:
            told = heard(other)
            assert (told["ask"], "tab" in told) == ("tab", False)
            assert "at most 1 tabs" in told["refused"]
    for _ in range(100):
        if not live.laboratory.sessions:
            break
        threading.Event().wait(0.02)
    assert live.laboratory.sessions == {}


def test_connections_that_are_cut_leave_nothing_behind(live):
    host, port = live.host.split(":")
    reset = struct.pack("ii", 1, 0)  # Closed without a word.
    lines = [f"GET /{live.token}/socket HTTP/1.1", f"Host: {live.host}", "Upgrade: websocket",
             f"Origin: http://{live.host}", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]  # fmt: skip
    upgrade = "\r\n".join(lines).encode()
    for k in range(300):
        with socket.create_connection((host, int(port)), timeout=120) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            sock.sendall((b"", b"GET / HT", upgrade)[k % 3])
    for _ in range(1000):
        if live.page().status == 200 and not live.laboratory.sessions:
            break
        threading.Event().wait(0.02)
    assert live.laboratory.sessions == {}
    with live.tab() as tab:
        assert heard(tab)["tab"]


def test_nonsense_on_the_wire_does_not_end_it(live):
    host, port = live.host.split(":")
    for nonsense in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 10**5):
        gone = contextlib.suppress(BrokenPipeError, ConnectionResetError)
        with socket.create_connection((host, int(port)), timeout=120) as sock, gone:
            sock.sendall(nonsense)
            sock.shutdown(socket.SHUT_WR)
            sock.recv(200)
    assert live.page().status == 200


def test_a_port_that_is_taken_is_an_error_and_otherwise_a_free_one_is_found():
    with contextlib.closing(bound_socket(0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            bound_socket(port)
    both = bound_socket(None), bound_socket(None)
    with contextlib.closing(both[0]), contextlib.closing(both[1]):
        assert both[0].getsockname()[1] != both[1].getsockname()[1]
        assert both[1].getsockname()[0] == "127.0.0.1"


def test_the_address_has_a_token_of_its_own():
    servers_ = [Server(0, "margin?C=10"), Server(0)]
    for server in servers_:
        server.socket.close()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/#margin\?C=10", servers_[0].address)
    assert servers_[0].address.split("/")[3] != servers_[1].address.split("/")[3]
