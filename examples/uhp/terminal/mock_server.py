#!/usr/bin/env python3
"""A mock server of UHP 1.0, for people who write a consumer: it answers what its script says, also
what no real server would.

    mock_server.py --self-test     the reference consumer against every way of misbehaving
    mock_server.py --serve PATH    a well-behaved mock at a socket, until interrupted

The self-test needs nothing but Python; no luvus is started.
"""

import argparse
import json
import os
import secrets
import socket
import sys
import threading
from pathlib import Path

from lab import check, folder, require_a_private_checkout, run_suite
from uhp_client import (
    NAMESPACE, Client, ContractBroken, EndpointRefused, Mirror, NotAnnounced, PossiblyExecuted, ServerError,
)
from uhp_schema import BASE, Schemas

GENERATION, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32
ONE, TWO = "1" * 32, "2" * 32
ROUTE = {"server_generation": GENERATION, "terminal_id": ONE, "pane_id": "4"}
SCHEMAS = Schemas.of_folder()
ACTION = {"type": "terminal_backend_action", "state": "succeeded"}


def entry(terminal=ONE, pane="4", revision=5, label=None):
    """An inventory entry."""
    return {
        "terminal_id": terminal, "pane_id": pane, "workspace": {"index": 1, "name": "demo", "root": "/srv/demo"},
        "tab": {"index": 1, "name": "1"}, "cwd": "/srv/demo", "root_process": {"pid": 100, "start_marker": None},
        "content_revision": revision, "terminal_title": None, "label": label, "restore": True,
    }


def event(name, sequence, terminal=ONE, revision=6, **detail):
    """A lifecycle event."""
    return {"event": f"terminal.{name}", "sequence": sequence, "data": {
        "server_generation": GENERATION, "terminal_id": terminal, "pane_id": "4", "content_revision": revision,
        "workspace": 1, "tab": 1, "detail": detail}}


class Script:
    """What the mock knows; tests change it, also between two requests."""

    def __init__(self):
        self.generation, self.terminals, self.fence, self.subscribed = GENERATION, [entry()], 10, 8
        self.streams = [[]]
        self.answers = {}
        self.seen = []
        self.extra = {}

    def reply(self, request):
        """The frames for a request; None closes without a reply."""
        method = request["method"]
        self.seen.append(method)
        if method in self.answers:
            answer = self.answers[method]
            return answer(request) if callable(answer) else answer
        return [{"id": request["id"], "result": self.result(method)}]

    def result(self, method):
        """A good result."""
        if method == "uhp.capabilities":
            names = ["uhp.capabilities"] + [NAMESPACE + name for name in
                     ("inventory", "snapshot", "validate", "type_literal", "close", "events.subscribe", "control")]
            limits = SCHEMAS.documents[BASE + "terminal/limits.json"]["announced"]
            return {
                "type": "uhp_capabilities", "protocol": {"name": "luvus-uhp", "major": 1, "minor": 0},
                "server_generation": self.generation, "session": "default", "event_sequence": self.fence,
                "methods": names, "limits": {"frame_bytes": 1_048_576}, "agent_states": [], "agent_authorities": [],
                "method_contracts": [
                    {"method": name, "idempotent": False, "scope": "terminal",
                     "access": "write" if name.endswith(("type_literal", "close", "control")) else "read"}
                    for name in names],
                "terminal": {"capabilities": ["inventory", "snapshot", "validate", "type_literal", "close", "events",
                                              "control_stream"],
                             "features": ["create_restore_policy"],
                             "limits": {name: row["value"] for name, row in limits.items()}},
                **self.extra,
            }
        listing = {"server_generation": self.generation, "terminals": self.terminals, "truncated": False}
        return {
            "inventory": {"type": "terminal_backend_inventory", **listing},
            "snapshot": {"type": "terminal_backend_snapshot", **listing, "event_sequence": self.fence},
            "validate": {"type": "terminal_backend_validation", "state": "alive"},
            "type_literal": {**ACTION, "dispatch": "queued"},
            "close": {**ACTION, "dispatch": "executed"},
            "events.subscribe": {"type": "subscription_started", "sequence": self.subscribed, "queue_capacity": 256,
                                 "loss_behavior": "resync_required_then_close"},
            "control": {"type": "terminal_backend_stream", "mode": "control", **ROUTE, "sequence": self.fence,
                        "content_revision": 5, "ansi": True, "capture_mode": "visible", "lines": 80,
                        "frame_bytes": 65_536, "queue_capacity": 2, "loss_behavior": "resync_required_then_close"},
        }[method[len(NAMESPACE):]]


class Mock:
    """A socket that follows a script; each connection is a thread."""

    def __init__(self, script, address=None):
        self.script = script
        self.address = address or self._private_address()
        self.bind()

    def _private_address(self):
        base = folder("uhp-mock-")
        require_a_private_checkout(base.parent)
        if len(str(base)) < 90:
            return str(base / "luvus.sock")
        # A deep checkout: the alias of the endpoint rules, as a real server does it.
        root = "/private/tmp" if sys.platform == "darwin" else "/tmp"
        alias = Path(root) / f"luvus-{os.geteuid()}"
        alias.mkdir(mode=0o700, exist_ok=True)
        return str(alias / f"{secrets.token_hex(8)}-api.sock")

    def bind(self):
        """Listens at the address, with a new socket file."""
        Path(self.address).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.address)
        os.chmod(self.address, 0o600)
        self.listener.listen(16)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def close(self):
        """Ends it."""
        self.listener.close()
        Path(self.address).unlink(missing_ok=True)

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            line = lines.readline()
            if not line.endswith(b"\n"):
                return
            request = json.loads(line)
            frames = self.script.reply(request)
            if frames is None:
                return
            if request["method"].endswith("events.subscribe"):
                frames = [*frames, *(self.script.streams.pop(0) if self.script.streams else [])]
            try:
                for frame in frames:
                    connection.sendall(frame if isinstance(frame, bytes) else json.dumps(frame).encode() + b"\n")
            except OSError:
                return


def started(**answers):
    """A mock with a script, and a client that has negotiated with it."""
    script = Script()
    script.answers.update({NAMESPACE + name: answer for name, answer in answers.items()})
    mock = Mock(script)
    client = Client(mock.address, SCHEMAS, timeout=5)
    client.negotiate()
    return script, mock, client


def refuses(kind, action, what):
    """Checks that an exception of that kind comes."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(what)


def a_good_server_is_understood():
    script, mock, client = started()
    script.extra = {"something_new": {"any": 1}}
    client.negotiate()
    check(len(client.call(NAMESPACE + "inventory", {})["terminals"]) == 1, "one terminal")
    check(client.call(NAMESPACE + "type_literal", {**ROUTE, "text": "x"})["dispatch"] == "queued", "queued")
    mock.close()


def what_is_not_announced_is_never_sent():
    script, mock, client = started()
    refuses(NotAnnounced, lambda: client.call(NAMESPACE + "notify", {**ROUTE, "title": "", "body": ""}), "sent")
    with client.stream(NAMESPACE + "control", ROUTE) as stream:
        refuses(NotAnnounced, lambda: stream.act("set_viewport", {"cols": 80, "rows": 24}), "action sent")
    check(NAMESPACE + "notify" not in script.seen, "the mock saw it")
    mock.close()


def bad_params_never_leave_the_client():
    script, mock, client = started()
    refuses(ValueError, lambda: client.call(NAMESPACE + "type_literal", {**ROUTE, "text": ""}), "empty text sent")
    refuses(ValueError, lambda: client.call(NAMESPACE + "type_literal", {**ROUTE, "text": "é" * 131_073}), "long text sent")
    check(NAMESPACE + "type_literal" not in script.seen, "the mock saw it")
    mock.close()


def buffered_events_are_fenced():
    script, mock, client = started()
    script.streams = [[event("output_ready", 9, revision=4), event("output_ready", 10, revision=5),
                       event("output_ready", 11, revision=6), event("metadata_changed", 12, label="build")]]
    mirror = Mirror(client)
    done = [mirror.step()[0] for _ in range(4)]
    check(done == ["skipped", "skipped", "applied", "applied"], f"{done}")
    check(mirror.terminals[ONE]["content_revision"] == 6, "the revision")
    check(mirror.terminals[ONE]["label"] == "build", "the label")
    check(mirror.snapshots == 1, "one snapshot was enough")
    mock.close()


def structure_needs_another_snapshot():
    script, mock, client = started()
    script.streams = [[event("created", 11, TWO), event("output_ready", 12, TWO, 2), event("moved", 13),
                       event("exited", 14, exit_code=0, signal=None),
                       event("closed", 15, reason="exited", exit_code=0, signal=None)]]
    mirror = Mirror(client)
    script.terminals, script.fence = [entry(), entry(TWO, "5", 1)], 11
    done = [mirror.step()[0] for _ in range(5)]
    check(done == ["snapshot", "applied", "snapshot", "snapshot", "applied"], f"{done}")
    check(set(mirror.terminals) == {TWO}, "the closed one is gone")
    mock.close()


def another_generation_needs_a_snapshot():
    script, mock, client = started()
    foreign = event("output_ready", 11)
    foreign["data"]["server_generation"] = OTHER
    script.streams = [[foreign]]
    check(Mirror(client).step()[0] == "snapshot", "not applied")
    mock.close()


def loss_starts_over():
    script, mock, client = started()
    lost = {"event": "terminal.resync_required", "sequence": 11, "data": {"reason": "subscriber_overflow"}}
    script.streams = [[lost], [], [event("output_ready", 11)]]
    mirror = Mirror(client)
    done = [mirror.step()[0] for _ in range(3)]
    check(done == ["resync", "resync", "applied"], f"{done}")
    check(mirror.snapshots == 3, "a snapshot after each loss, also after a bare end")
    mock.close()


def impossible_events_are_refused():
    for frames, what in [
        ([event("output_ready", 11), event("output_ready", 11, revision=7)], "a sequence that stands still"),
        ([event("output_ready", 11, revision=3)], "a revision that goes backwards"),
        ([event("output_ready", 11, more=1)], "an unknown detail"),
        ([event("exited", 11)], "an exit without status"),
        ([b'{"event":"terminal.moved","event":"terminal.moved","sequence":11,"data":{}}\n'], "a duplicate key"),
        ([b"x" * 1_048_577 + b"\n"], "a frame over the limit"),
    ]:
        script, mock, client = started()
        script.streams = [frames]
        mirror = Mirror(client)
        refuses(ContractBroken, lambda: [mirror.step() for _ in frames], what)
        mock.close()


def impossible_replies_are_refused():
    good = lambda request: {"id": request["id"], "result": {"type": "terminal_backend_validation", "state": "alive"}}
    for answer, what in [
        (lambda r: [{**good(r), "id": "other"}], "another request's id"),
        (lambda r: [{**good(r), "jsonrpc": "2.0"}], "an unknown field"),
        (lambda r: [{"id": r["id"]}], "neither result nor error"),
        (lambda r: [{"id": r["id"], "result": {"type": "terminal_backend_validation", "state": "dead"}}], "an unknown state"),
        (lambda r: [{"id": r["id"], "error": {"code": "oops", "message": ""}}], "an unknown code"),
        (lambda r: [b'{"id":"a","id":"b","result":{}}\n'], "a duplicate key"),
        (lambda r: [b"[" * 3_000 + b"\n"], "no JSON"),
        (lambda r: [b"\xff\n"], "no UTF-8"),
        (lambda r: [b"y" * 1_100_000], "no end in sight"),
    ]:
        _, mock, client = started(validate=answer)
        refuses(ContractBroken, lambda: client.call(NAMESPACE + "validate", ROUTE), what)
        mock.close()


def a_lost_reply_of_a_mutation_is_possibly_executed():
    _, mock, client = started(type_literal=lambda _: None, inventory=lambda _: None)
    refuses(PossiblyExecuted, lambda: client.call(NAMESPACE + "type_literal", {**ROUTE, "text": "x"}), "not classed")
    refuses(ConnectionError, lambda: client.call(NAMESPACE + "inventory", {}), "a read is simply lost")
    mock.close()


def errors_keep_code_and_dispatch():
    error = {"code": "create_failed", "message": "x", "dispatch": "started"}
    _, mock, client = started(close=lambda r: [{"id": r["id"], "error": error}])
    found = refuses(ServerError, lambda: client.call(NAMESPACE + "close", ROUTE), "no error")
    check((found.code, found.dispatch) == ("create_failed", "started"), "code and dispatch")
    mock.close()


def a_replaced_endpoint_is_refused():
    _, mock, client = started()
    mock.close()
    mock.bind()
    refuses(EndpointRefused, lambda: client.call(NAMESPACE + "inventory", {}), "connected to another socket")
    Client(mock.address, SCHEMAS).negotiate()
    os.chmod(mock.address, 0o666)
    refuses(EndpointRefused, lambda: Client(mock.address, SCHEMAS), "connected to an open socket")
    os.chmod(mock.address, 0o600)
    link = Path(mock.address).with_name("link.sock")
    link.symlink_to(mock.address)
    refuses(EndpointRefused, lambda: Client(str(link), SCHEMAS), "followed a link")
    link.unlink()
    mock.close()


TESTS = [
    a_good_server_is_understood, what_is_not_announced_is_never_sent, bad_params_never_leave_the_client,
    buffered_events_are_fenced, structure_needs_another_snapshot, another_generation_needs_a_snapshot,
    loss_starts_over, impossible_events_are_refused, impossible_replies_are_refused,
    a_lost_reply_of_a_mutation_is_possibly_executed, errors_keep_code_and_dispatch, a_replaced_endpoint_is_refused,
]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = options.add_mutually_exclusive_group(required=True)
    what.add_argument("--self-test", action="store_true", help="run the reference consumer against the mock")
    what.add_argument("--serve", metavar="PATH", help="serve a good mock at this socket")
    given = options.parse_args()
    if given.self_test:
        return run_suite("mock", TESTS)
    mock = Mock(Script(), str(Path(given.serve).absolute()))
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        mock.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
