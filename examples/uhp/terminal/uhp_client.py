"""A client of UHP 1.0: endpoint checks, one request a connection, streams, and a mirror of the
terminals that reconciles events with snapshots.

It is strict on purpose: every frame in both directions is checked against the published schemas, a
method that is not announced is never called, and a mutation whose reply was lost is reported as
possibly executed and never repeated.
"""

import json
import os
import posixpath
import re
import socket
import stat
import sys
from collections import deque
from dataclasses import dataclass

from uhp_schema import BASE, parse

FRAME_BYTES = 1_048_576
NAMESPACE = "terminal.backend."
CONTROL_CAPABILITIES = {"process_inspection": "processes", "control_stream": "control",
                        "notify_terminal": "notify", "events": "events.subscribe",
                        "create_workspace": "create", "create_sibling": "create"}


class EndpointRefused(Exception):
    """The address is not one that a careful client connects to."""


class ContractBroken(Exception):
    """The server sent what the contract does not allow."""


class NotAnnounced(Exception):
    """The server does not offer that method or action."""


class PossiblyExecuted(Exception):
    """A mutation was written and its reply was lost: refresh the inventory, do not repeat it."""


class ServerError(Exception):
    """The server refused."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.dispatch = error["code"], error.get("dispatch")


# ---- The endpoint (terminal/endpoint-rules.json) ------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """What `lstat` shows of one path: type, owner id, permission bits."""

    type: str
    owner: int
    mode: int


def lstat(path):
    """The entry of a path of this machine."""
    found = os.lstat(path)
    kinds = [(stat.S_ISLNK, "symlink"), (stat.S_ISDIR, "directory"), (stat.S_ISSOCK, "socket")]
    kind = next((name for test, name in kinds if test(found.st_mode)), "other")
    return Entry(kind, found.st_uid, stat.S_IMODE(found.st_mode))


def check_address(address, user, platform, look=lstat):
    """Refuses a Unix address that breaks one of the rules."""

    def require(holds, rule):
        if not holds:
            raise EndpointRefused(rule)

    require(address.startswith("/") and posixpath.normpath(address) == address, "the address is not absolute and plain")
    parts = address.split("/")[1:]
    paths = ["/" + "/".join(parts[:count]) for count in range(len(parts) + 1)]
    *folders, last = [(path, look(path)) for path in paths]
    require(all(entry.type == "directory" for _, entry in folders), "a parent is a link or no directory")
    require(last[1].type == "socket", "the endpoint is no socket")
    own_folder = folders[-1]
    require(own_folder[1].owner == user and last[1].owner == user, "the endpoint belongs to somebody else")
    require(own_folder[1].mode == 0o700 and last[1].mode == 0o600, "the endpoint is open to others")
    alias_root = "/private/tmp" if platform == "macos" else "/tmp"
    is_alias = own_folder[0] == f"{alias_root}/luvus-{user}" and address.endswith("-api.sock")
    for path, entry in folders[:-1]:
        if is_alias and path == alias_root:
            require(entry.owner == 0 and entry.mode == 0o1777, "the alias root is not the system's")
        else:
            require(entry.mode & 0o022 == 0, "an ancestor can be written by others")


def check_pipe(address, server_is_own, dacl_is_own):
    """Refuses a Windows pipe that breaks one of the rules."""
    if not address.startswith("\\\\.\\pipe\\"):
        raise EndpointRefused("not a local pipe")
    if not (server_is_own and dacl_is_own):
        raise EndpointRefused("the pipe belongs to somebody else")


class Endpoint:
    """A checked address; every check is made again before each connection."""

    def __init__(self, address):
        self.address = address
        self.seen = self._check()

    def _check(self):
        if os.name != "posix":
            raise EndpointRefused("this consumer connects to Unix sockets only")
        try:
            check_address(self.address, os.geteuid(), "macos" if sys.platform == "darwin" else "linux")
            if os.path.realpath(self.address) != self.address:
                raise EndpointRefused("the canonical path is another one")
            found = os.lstat(self.address)
        except OSError as error:
            raise EndpointRefused(f"cannot look at the endpoint: {error.strerror}") from None
        return found.st_dev, found.st_ino, found.st_ctime_ns

    def connect(self, timeout):
        """A connection, if the endpoint is still the one that was discovered."""
        if self._check() != self.seen:
            raise EndpointRefused("the endpoint was replaced; discover it again")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(timeout)
        connection.connect(self.address)
        return connection


# ---- Frames ------------------------------------------------------------------------------------


class Lines:
    """Frames of a connection, each at most 1 MiB with its LF."""

    def __init__(self, connection):
        self.connection, self.rest = connection, b""

    def next(self):
        """The next frame; None when the connection ends before a whole one came."""
        while b"\n" not in self.rest:
            if len(self.rest) >= FRAME_BYTES:
                raise ContractBroken("a frame is longer than 1 MiB")
            try:
                chunk = self.connection.recv(65_536)
            except ConnectionResetError:
                return None
            if not chunk:
                return None
            self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        if len(line) >= FRAME_BYTES:
            raise ContractBroken("a frame is longer than 1 MiB")
        try:
            return parse(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise ContractBroken(f"a frame is no strict JSON: {error}") from None


def method_file(method):
    """The path of a method's schema."""
    if method.startswith(NAMESPACE):
        return f"terminal/{method[len(NAMESPACE):]}.schema.json"
    return f"methods/{method}.schema.json"


class Client:
    """Talks to one server; `negotiate` comes first."""

    def __init__(self, address, schemas, timeout=30.0):
        self.endpoint, self.schemas, self.timeout = Endpoint(address), schemas, timeout
        self.methods = {"uhp.capabilities"}
        self.writes, self.actions, self.features, self.generation = set(), set(), set(), None
        self.count = 0

    def negotiate(self):
        """Reads what the server offers."""
        result = self.call("uhp.capabilities", {})
        if result["protocol"] != {"name": "luvus-uhp", "major": 1, "minor": 0}:
            raise ContractBroken("not UHP 1.0")
        self.methods = set(result["methods"])
        self.writes = {row["method"] for row in result.get("method_contracts", []) if row["access"] == "write"}
        self.actions = set(result["terminal"]["capabilities"])
        self.features = set(result["terminal"]["features"])
        self.generation = result["server_generation"]
        return result

    def call(self, method, params, timeout=None):
        """The result of a request."""
        with self._send(method, params, timeout) as connection:
            return self._result(Lines(connection), method)

    def stream(self, method, params, timeout=None):
        """An open stream, after its acknowledgment."""
        connection = self._send(method, params, timeout)
        try:
            lines = Lines(connection)
            return Stream(self, connection, lines, self._result(lines, method))
        except BaseException:
            connection.close()
            raise

    def _send(self, method, params, timeout):
        if method not in self.methods:
            raise NotAnnounced(method)
        self.count += 1
        request = {"id": f"client-{self.count}", "method": method, "params": params}
        self.expect("request.schema.json", request, ValueError)
        self.expect(method_file(method) + "#/$defs/params", params, ValueError)
        connection = self.endpoint.connect(timeout or self.timeout)
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            # The server may have answered early; its answer decides.
            pass
        return connection

    def _result(self, lines, method):
        try:
            response = lines.next()
        except TimeoutError:
            response = None
        if response is None:
            if method in self.writes:
                raise PossiblyExecuted(method)
            raise ConnectionError(f"{method}: the reply was lost")
        self.expect("response.schema.json", response)
        if response["id"] not in (f"client-{self.count}", "0"):
            raise ContractBroken("the reply belongs to another request")
        if method.startswith(NAMESPACE):
            self.expect("terminal/response.schema.json", response)
        if "error" in response:
            raise ServerError(response["error"])
        if response["id"] == "0":
            raise ContractBroken("a result without the request's id")
        self.expect(method_file(method) + "#/$defs/result", response["result"])
        return response["result"]

    def expect(self, path, value, broken=ContractBroken):
        """Raises when a value breaks a schema."""
        faults = self.schemas.faults(path, value)
        if faults:
            raise broken(f"{path}: {faults[0]}")

    def locator(self, entry):
        """The three values that name a terminal of the inventory, or one just created."""
        return {"server_generation": self.generation, "terminal_id": entry["terminal_id"], "pane_id": entry["pane_id"]}


class Stream:
    """A connection after its acknowledgment: events in, and on a control stream actions out."""

    def __init__(self, client, connection, lines, acknowledged):
        self.client, self.connection, self.lines = client, connection, lines
        self.acknowledged, self.waiting = acknowledged, deque()
        self.last = acknowledged["sequence"]
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the stream."""
        self.connection.close()

    def next(self, timeout=None):
        """The next event; None at the end of the stream, which means possible loss."""
        return self.waiting.popleft() if self.waiting else self._read(timeout)

    def until(self, holds, timeout=None):
        """The next event for which `holds` is true; those before it are passed over."""
        while (event := self.next(timeout)) is not None:
            if holds(event):
                return event
        raise ContractBroken("the stream ended before the expected event")

    def act(self, action, params):
        """Sends an action frame and waits for its reply; events that come between are kept."""
        if action not in self.client.actions:
            raise NotAnnounced(action)
        self.count += 1
        frame = {"id": f"action-{self.count}", "action": action, "params": params}
        self.client.expect("terminal/action.schema.json", frame, ValueError)
        self.connection.sendall(json.dumps(frame).encode() + b"\n")
        return self.reply(frame["id"], action)

    def reply(self, id_, action):
        """The reply to an action frame that was written."""
        while True:
            frame = self._frame(None)
            if frame is None:
                raise PossiblyExecuted(action)
            if "event" in frame:
                self.waiting.append(self._event(frame))
                continue
            self.client.expect("terminal/response.schema.json", frame)
            if frame["id"] != id_:
                raise ContractBroken("the reply belongs to another action")
            if "error" in frame:
                raise ServerError(frame["error"])
            self.client.expect(f"terminal/action.schema.json#/$defs/{action}/$defs/result", frame["result"])
            return frame["result"]

    def _frame(self, timeout):
        self.connection.settimeout(timeout or self.client.timeout)
        return self.lines.next()

    def _read(self, timeout):
        frame = self._frame(timeout)
        return None if frame is None else self._event(frame)

    def _event(self, frame):
        self.client.expect("events.schema.json", frame)
        loss = frame["event"] in ("terminal.resync_required", "events.resync_required")
        if frame["event"] == "terminal.frame":
            self._check_text(frame["data"])
            rises = frame["sequence"] >= self.last
        else:
            rises = loss or frame["sequence"] > self.last
        if not rises:
            raise ContractBroken("the sequence does not rise")
        self.last = max(self.last, frame["sequence"])
        return frame

    def _check_text(self, data):
        text = data["text"]
        if data["bytes"] != len(text.encode()) or data["lines"] != text.count("\n") + 1:
            raise ContractBroken("a frame's counts are not those of its text")
        if re.search("\x1b(?!\\[[0-9;:]*m)", text):
            raise ContractBroken("a frame holds more than styles")


class Mirror:
    """The terminals of a server, kept by events: subscribe first, then the snapshot over a second
    connection, then of what was buffered only what the snapshot does not have yet."""

    def __init__(self, client):
        self.client, self.terminals, self.fence = client, {}, 0
        self.snapshots = 0
        self.stream = None
        self.start()

    def start(self):
        """Subscribes and takes a snapshot; again after every loss."""
        if self.stream:
            self.stream.close()
        self.stream = self.client.stream(NAMESPACE + "events.subscribe", {})
        self.take_snapshot()

    def take_snapshot(self):
        """Everything up to `fence` is in it; later events are not."""
        snapshot = self.client.call(NAMESPACE + "snapshot", {})
        self.fence, self.snapshots = snapshot["event_sequence"], self.snapshots + 1
        self.terminals = {entry["terminal_id"]: entry for entry in snapshot["terminals"]}

    def step(self, timeout=None):
        """Takes one event in; returns what was done: skipped, applied, snapshot or resync."""
        event = self.stream.next(timeout)
        if event is None or event["event"] == "terminal.resync_required":
            self.start()
            return "resync", event
        if event["sequence"] <= self.fence:
            return "skipped", event
        if self._apply(event["event"], event["data"]):
            return "applied", event
        self.take_snapshot()
        return "snapshot", event

    def _apply(self, name, data):
        entry = self.terminals.get(data["terminal_id"])
        if entry is None or data["server_generation"] != self.client.generation:
            return False
        if name == "terminal.output_ready":
            if data["content_revision"] < entry["content_revision"]:
                raise ContractBroken("a content revision went backwards")
            entry["content_revision"] = data["content_revision"]
            return True
        if name == "terminal.metadata_changed" and set(data["detail"]) == {"label"}:
            entry["label"] = data["detail"]["label"] or None
            return True
        if name == "terminal.closed":
            del self.terminals[data["terminal_id"]]
            return True
        # created, moved, exited: these events do not repeat the whole entry.
        return False
