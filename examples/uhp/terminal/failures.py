#!/usr/bin/env python3
"""Failure injection over UHP: what a broken, hostile or unlucky peer does must neither harm the server
nor leave anybody in doubt. Uses a LUVUS_HOME of its own below `target/`.

    failures.py --luvus target/debug/luvus
"""

import argparse
import json
import socket
import sys
import threading
import time

from lab import Failure, Lab, check, run_suite
from uhp_client import FRAME_BYTES, NAMESPACE, Lines, ServerError

# How long a condition may take to become true on a host that has other things to do; nothing here
# measures how fast a server is.
PATIENCE = 60
DEAF = ["/bin/sh", "-c", "stty raw -echo; printf deaf; while :; do sleep 600; done"]


class Failures:
    """One server for all tests."""

    def __init__(self, lab):
        self.lab, self.client = lab, None

    def call(self, name, **params):
        return self.client.call(NAMESPACE + name, params)

    def has(self, *names):
        missing = [name for name in names if NAMESPACE + name not in self.client.methods and name not in self.client.actions]
        return f"{', '.join(missing)} not announced" if missing else None

    def create(self, command=("/bin/sh", "-c", "printf ready; exec cat")):
        created = self.call("create", cwd=str(self.lab.work), command=list(command), placement={"kind": "workspace"}, focus=False)
        return self.client.locator(created)

    def wait(self, locator, text):
        self.call("wait_output", **locator, after_revision=0, match=text, timeout_ms=1_000 * PATIENCE)

    def send(self, data, half_close=True):
        """Everything that comes back for these bytes until the server closes."""
        with self.client.endpoint.connect(PATIENCE) as connection:
            try:
                connection.sendall(data)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            received = b""
            while chunk := connection.recv(65_536):
                received += chunk
            return received

    def answer(self, data, **more):
        """The one response to these bytes."""
        received = self.send(data, **more)
        count = received.count(b"\n")
        check(received.endswith(b"\n") and count == 1, f"{count} lines came back")
        response = json.loads(received)
        self.client.expect("response.schema.json", response)
        return response

    def error(self, data, code, id_="0", dispatch="not_started", **more):
        response = self.answer(data, **more)
        found = response.get("error", {})
        check((found.get("code"), response["id"]) == (code, id_), f"{found.get('code')} for {response['id']}")
        check(dispatch is None or found.get("dispatch") == dispatch, f"dispatch {found.get('dispatch')}")

    def request(self, name, id_="f1", **params):
        return json.dumps({"id": id_, "method": NAMESPACE + name, "params": params}).encode() + b"\n"

    def alive(self):
        """The server serves; places of those who have just left may take a moment to become free."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return check(self.call("inventory")["terminals"], "the server lost its terminals")
            except ServerError as error:
                check(error.code == "unavailable" and time.monotonic() < deadline, f"the server refuses: {error}")
                time.sleep(0.02)

    # ---- Framing ----

    def a_request_without_its_end_gets_nothing(self):
        whole = self.request("inventory")[:-1]
        for data in (whole, whole[:1], whole[: len(whole) // 2], b""):
            check(self.send(data) == b"", "bytes came back")
        self.alive()

    def an_oversized_frame_is_refused_early(self):
        self.error(b"{" * (FRAME_BYTES + 1), "frame_too_large")
        # Without an end, and while the client still writes.
        self.error(b"x" * (3 * FRAME_BYTES), "frame_too_large", half_close=False)
        # Exactly the largest frame is one.
        head, tail = b'{"id":"f1","method":"terminal.backend.inventory","params":{"x":"', b'"}}\n'
        self.error(head + b"x" * (FRAME_BYTES - len(head) - len(tail)) + tail, "invalid_params", "f1", None)

    def duplicate_keys_are_refused_before_anything_happens(self):
        locator = self.create()
        text = json.dumps(locator)[1:-1]
        for data in [
            '{"id":"f1","id":"f1","method":"terminal.backend.inventory","params":{}}',
            '{"id":"f1","method":"terminal.backend.inventory","method":"terminal.backend.close","params":{%s}}' % text,
            '{"id":"f1","method":"terminal.backend.close","params":{%s,"pane_id":"%s"}}' % (text, locator["pane_id"]),
            '{"id":"f1","method":"terminal.backend.close","params":{%s,"p\\u0061ne_id":"1"}}' % text,
        ]:
            self.error(data.encode() + b"\n", "invalid_request", "f1")
        check(self.call("validate", **locator)["state"] == "alive", "something happened")
        self.call("close", **locator)

    def what_is_no_request_is_told_so(self):
        for data in (b"\n", b"hello\n", b"[]\n", b"null\n", b"\xff\xfe\n", b"{}\n", b'{"id":7,"method":"ping","params":{}}\n',
                     b"[" * 100_000 + b"\n", b'{"id":"\xc3\xa9","method":"ping","params":{}}\n'):
            self.error(data, "invalid_request")
        for data in (b'{"id":"f1"}\n', b'{"id":"f1","method":"ping","params":null}\n', b'{"id":"f1","method":"ping","params":{},"x":1}\n'):
            self.error(data, "invalid_request", "f1")
        self.error(b'{"id":"f1","method":"no.such.method","params":{}}\n', "unsupported_capability", "f1")
        self.alive()

    def a_second_frame_is_never_read(self):
        locator = self.create()
        response = self.answer(self.request("inventory") + self.request("close", "f2", **locator))
        check(response["id"] == "f1", "the first one is answered")
        check(self.call("validate", **locator)["state"] == "alive", "the second one was carried out")
        self.call("close", **locator)

    def a_half_close_is_no_cancellation(self):
        locator = self.create(["/bin/sh", "-c", "read x; printf later; exec cat"])
        found = {}
        wait = self.request("wait_output", **locator, after_revision=0, match="later", timeout_ms=1_000 * PATIENCE)
        thread = threading.Thread(target=lambda: found.update(self.answer(wait)))
        thread.start()
        self.call("submit_text", **locator, text="go")
        thread.join(PATIENCE)
        check("result" in found, "the reply of a half-closed connection was lost")
        self.call("close", **locator)

    # ---- Identity and params ----

    def stale_identities_are_refused_and_do_nothing(self):
        locator, other = self.create(), "0" * 32
        self.wait(locator, "ready")
        for change, code in [({"server_generation": other}, "stale_server"), ({"terminal_id": other}, "stale_terminal"),
                             ({"pane_id": "999999999"}, "stale_route"), ({"expected_root": {"pid": 1}}, "process_mismatch")]:
            self.error(self.request("type_literal", **{**locator, **change}, text="never"), code, "f1", "rejected")
        check("never" not in self.call("capture", **locator, mode="visible", lines=10, ansi=False)["text"], "it was typed")
        self.call("close", **locator)
        self.error(self.request("type_literal", **locator, text="never"), "stale_terminal", "f1", "rejected")

    def a_moved_terminal_is_not_followed(self):
        locator = self.create()
        if "pane.move" not in self.client.methods:
            return "pane.move not announced"
        sibling = self.call("create", cwd=str(self.lab.work), placement={"kind": "sibling", "of_terminal": locator}, focus=False)
        self.client.call("pane.move", {"pane": locator["pane_id"], "new_tab": True})
        check(self.call("validate", **locator)["state"] == "alive", "the identity stays with its terminal")
        for one in (locator, self.client.locator(sibling)):
            self.call("close", **one)

    def too_much_text_is_refused(self):
        locator = self.create()
        for text in ("x" * 262_145, "é" * 131_073):
            self.error(self.request("type_literal", **locator, text=text), "input_too_large", "f1")
        self.error(self.request("type_literal", **locator, text=""), "invalid_params", "f1")
        self.call("close", **locator)

    # ---- Pressure ----

    def a_full_queue_refuses_whole_actions(self):
        locator = self.create(DEAF)
        self.wait(locator, "deaf")
        accepted, text = 0, "x" * 262_144
        while True:
            try:
                self.call("type_literal", **locator, text=text)
                accepted += 1
            except ServerError as error:
                check((error.code, error.dispatch) == ("send_failed", "rejected"), f"{error.code} {error.dispatch}")
                check("queue is full" in str(error), "the words")
                break
            check(accepted <= 64, "the queue has no bound")
        check(accepted >= 1, "nothing was accepted")
        self.alive()
        check(self.call("close", **locator)["dispatch"] == "executed", "close works while the queue is full")
        check(self.call("validate", **locator)["state"] == "gone", "it is gone")

    def many_small_actions_are_bounded_too(self):
        locator = self.create(DEAF)
        self.wait(locator, "deaf")
        # Fill what the terminal itself takes, so that actions stay in the queue.
        self.call("type_literal", **locator, text="x" * 262_144)
        refused = None
        request = self.request("type_literal", **locator, text="x")
        for _ in range(4_200):
            # As bytes, and checked only where it ends: four thousand calls are many.
            with self.client.endpoint.connect(PATIENCE) as connection:
                connection.sendall(request)
                if b'"error"' in connection.recv(65_536):
                    refused = self.answer(request)["error"]
                    break
        check(refused is not None and refused["code"] == "send_failed", "4,200 actions were taken")
        self.call("close", **locator)

    def a_client_that_leaves_frees_its_wait(self):
        locator = self.create()
        wait = self.request("wait_output", **locator, after_revision=0, match="never there", timeout_ms=300_000)
        # Far more than the server serves at a time: each one's place must become free.
        for _ in range(200):
            with self.client.endpoint.connect(PATIENCE) as connection:
                connection.sendall(wait)
        for _ in range(100):
            with self.client.endpoint.connect(PATIENCE) as connection:
                connection.sendall(b'{"id":')
        self.alive()
        self.call("close", **locator)

    def a_wait_ends_with_its_terminal(self):
        locator = self.create()
        found = {}
        wait = self.request("wait_output", **locator, after_revision=0, match="never there", timeout_ms=300_000)
        thread = threading.Thread(target=lambda: found.update(self.answer(wait, half_close=False)))
        thread.start()
        self.call("close", **locator)
        thread.join(PATIENCE)
        check(found.get("error", {}).get("code") in ("terminal_gone", "stale_terminal"), f"{found.get('error')}")

    def silent_visitors_cost_nothing(self):
        for _ in range(32):
            self.client.endpoint.connect(PATIENCE).close()
            self.alive()

    def a_crowd_is_turned_away_and_forgotten(self):
        locator = self.create()
        wait = self.request("wait_output", **locator, after_revision=0, match="never there", timeout_ms=300_000)
        crowd = [self.client.endpoint.connect(PATIENCE) for _ in range(80)]
        for connection in crowd:
            connection.sendall(wait)
        # One more is answered with an error, or closed; it is not served.
        received = self.send(self.request("inventory"))
        check(b'"result"' not in received, "an 81st connection was served")
        for connection in crowd:
            connection.close()
        deadline = time.monotonic() + PATIENCE
        while b'"result"' not in self.send(self.request("inventory")):
            check(time.monotonic() < deadline, "the places did not become free")
            time.sleep(0.02)
        self.call("close", **locator)

    # ---- Streams ----

    def an_observer_cannot_act(self):
        if reason := self.has("observe"):
            return reason
        locator = self.create()
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "observe", {**locator, "ansi": False}) as frames:
            frames.connection.sendall(b'{"id":"a1","action":"type_literal","params":{"text":"never"}}\n')
            self.call("type_literal", **locator, text="mark")
            while (frame := frames.next()) is not None and "mark" not in frame["data"]["text"]:
                pass
        check("never" not in self.call("capture", **locator, mode="visible", lines=10, ansi=False)["text"], "it was typed")
        self.call("close", **locator)

    def bad_actions_are_refused_and_the_stream_goes_on(self):
        if reason := self.has("control"):
            return reason
        locator = self.create()
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "control", {**locator, "ansi": False}) as control:
            for number, (frame, code) in enumerate([
                ({"action": "type_literal", "params": {"text": ""}}, "invalid_params"),
                ({"action": "type_literal", "params": {"text": "x", "pane_id": "1"}}, "invalid_params"),
                ({"action": "send_key", "params": {"key": "\x1b[A"}}, "invalid_params"),
                ({"method": "ping", "params": {}}, "invalid_request"),
                ({"action": "type_literal", "params": {"text": "x"}, "auth": "luv_tok_x"}, "invalid_request"),
            ]):
                control.connection.sendall(json.dumps({"id": f"b{number}", **frame}).encode() + b"\n")
                try:
                    control.reply(f"b{number}", frame.get("action", "type_literal"))
                    raise Failure("a bad action was taken")
                except ServerError as error:
                    check((error.code, error.dispatch) == (code, "not_started"), f"{error.code} {error.dispatch}")
            control.act("type_literal", {"text": "good"})
            control.until(lambda frame: "good" in frame["data"]["text"])
        self.call("close", **locator)

    def the_ninth_stream_is_refused(self):
        if reason := self.has("observe"):
            return reason
        locator = self.create()
        streams = [self.client.stream(NAMESPACE + "observe", locator) for _ in range(8)]
        try:
            self.client.stream(NAMESPACE + "observe", locator)
            raise Failure("nine streams")
        except ServerError as error:
            check(error.code == "limit_exceeded", error.code)
        for stream in streams:
            stream.close()
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.client.stream(NAMESPACE + "observe", locator).close()
                break
            except ServerError:
                check(time.monotonic() < deadline, "the streams did not become free")
                time.sleep(0.02)
        self.call("close", **locator)

    def the_sixty_fifth_subscriber_is_refused(self):
        if reason := self.has("events.subscribe"):
            return reason
        streams = [self.client.stream(NAMESPACE + "events.subscribe", {}) for _ in range(64)]
        try:
            self.client.stream(NAMESPACE + "events.subscribe", {})
            raise Failure("sixty-five subscribers")
        except ServerError as error:
            check(error.code == "unavailable", error.code)
        for stream in streams:
            stream.close()

    def a_stream_ends_with_its_terminal(self):
        if reason := self.has("observe"):
            return reason
        locator = self.create()
        with self.client.stream(NAMESPACE + "observe", locator) as frames:
            frames.next()
            self.call("close", **locator)
            while frames.next() is not None:
                pass

    def a_slow_subscriber_is_cut_off_and_nobody_else(self):
        if reason := self.has("events.subscribe"):
            return reason
        locator = self.create()
        slow = self.client._send(NAMESPACE + "events.subscribe", {}, None)
        lines = Lines(slow)
        self.client._result(lines, NAMESPACE + "events.subscribe")
        if "set_title" not in self.client.actions:
            return "set_title not announced"
        # The socket's own buffers first, then the queue of 256.
        for number in range(1_500):
            self.call("set_title", **locator, title=f"{number} " + "x" * 200)
        slow.settimeout(PATIENCE)
        last = None
        while (frame := lines.next()) is not None:
            last = frame
        # The server says so if it still can; the end alone means the same.
        lost = last["event"] == "terminal.resync_required"
        check(lost or not last["data"]["detail"].get("label", "").startswith("1499 "), "nothing was lost")
        slow.close()
        self.alive()
        self.call("close", **locator)

    def a_killed_server_is_noticed(self):
        locator = self.create()
        found = {}

        def parked():
            try:
                self.client.call(NAMESPACE + "wait_change", {**locator, "after_revision": 2**50, "timeout_ms": 60_000}, 70)
            except ConnectionError:
                found["lost"] = True

        thread = threading.Thread(target=parked)
        thread.start()
        self.lab.server.kill()
        self.lab.server.wait()
        thread.join(PATIENCE)
        check(found.get("lost"), "the wait did not end")
        check(not any(row["running"] for row in self.lab.sessions()), "discovery finds a dead server")
        self.client = self.lab.start()
        self.lab.stop(self.client)

    def started(self):
        """The server that all of this is about."""
        self.client = self.lab.start()
        self.lab.shell(self.client)

    def tests(self):
        """Everything above, in order."""
        return [
            self.started, self.a_request_without_its_end_gets_nothing, self.an_oversized_frame_is_refused_early,
            self.duplicate_keys_are_refused_before_anything_happens, self.what_is_no_request_is_told_so,
            self.a_second_frame_is_never_read, self.a_half_close_is_no_cancellation,
            self.stale_identities_are_refused_and_do_nothing, self.a_moved_terminal_is_not_followed,
            self.too_much_text_is_refused, self.a_full_queue_refuses_whole_actions, self.many_small_actions_are_bounded_too,
            self.a_client_that_leaves_frees_its_wait, self.a_wait_ends_with_its_terminal, self.silent_visitors_cost_nothing,
            self.a_crowd_is_turned_away_and_forgotten, self.an_observer_cannot_act,
            self.bad_actions_are_refused_and_the_stream_goes_on, self.the_ninth_stream_is_refused,
            self.the_sixty_fifth_subscriber_is_refused, self.a_stream_ends_with_its_terminal,
            self.a_slow_subscriber_is_cut_off_and_nobody_else, self.a_killed_server_is_noticed,
        ]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--luvus", required=True, help="the built program")
    return run_suite("failures", Failures(Lab(options.parse_args().luvus)).tests())


if __name__ == "__main__":
    sys.exit(main())
