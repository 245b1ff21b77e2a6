"""A client of the pane backend (protocol/pane-backend/v2): the standard library only.

    with PaneBackend() as panes:
        own = panes.call("initialize", protocol_version="2")["self_context_id"]

Inside a pane the endpoint is in the environment; outside it is in the discovery file.
"""

import json
import os
import pathlib
import queue
import socket
import threading

NAMES = ("CLAUDE_PANE_BACKEND_SOCKET", "PI_PANE_BACKEND_SOCKET", "LUVUS_PANE_BACKEND_SOCKET")


def address(session="default"):
    """Where the backend listens."""
    for name in NAMES:
        if os.environ.get(name):
            return os.environ[name]
    folder = os.environ.get("LUVUS_PSMUX_DIR") or pathlib.Path.home() / ".psmux"
    return (pathlib.Path(folder) / f"{session}.pipe").read_text()


class Failure(Exception):
    """An error response."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.data = error.get("data")


class PaneBackend:
    """One connection. Requests may be in flight together; events go to `events`."""

    def __init__(self, where=None):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(where or address())
        self.events = queue.Queue()
        self.order = []  # methods of events and ids of responses, as they came
        self._answers = {}
        self._last = 0
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.shutdown(socket.SHUT_RDWR)
        self._reader.join(10)
        self.connection.close()

    def _read(self):
        with self.connection.makefile("r", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                message = json.loads(line)
                if "method" in message:
                    self.order.append(message["method"])
                    self.events.put(message)
                else:
                    self.order.append(message["id"])
                    self._answer(message["id"]).put(message)

    def _answer(self, number):
        with self._lock:
            return self._answers.setdefault(number, queue.Queue())

    def send(self, method, **params):
        """Sends a request and does not wait; returns its id."""
        with self._lock:
            self._last += 1
            number = self._last
        request = {"id": number, "method": method, "params": params}
        self.connection.sendall(json.dumps(request).encode() + b"\n")
        return number

    def result(self, number, patience=60):
        """The result of a request that was sent."""
        message = self._answer(number).get(timeout=patience)
        if "error" in message:
            raise Failure(message["error"])
        return message["result"]

    def call(self, method, **params):
        """The result of a request."""
        return self.result(self.send(method, **params))

    def event(self, method, context_id, patience=60):
        """The params of the next event of that name about that pane; others are passed over."""
        while True:
            event = self.events.get(timeout=patience)
            if event["method"] == method and event["params"]["context_id"] == context_id:
                return event["params"]
