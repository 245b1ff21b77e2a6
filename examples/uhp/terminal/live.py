#!/usr/bin/env python3
"""The life of terminals over UHP, against a real server in a LUVUS_HOME of its own below `target/`.

    live.py --luvus target/debug/luvus

Checks whose method or action the server does not announce are skipped, with the reason.
"""

import argparse
import base64
import sys
import threading

from lab import Failure, Lab, check, run_suite
from uhp_client import NAMESPACE, Mirror, ServerError

PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
CAT = ["/bin/sh", "-c", "printf ready; exec cat"]


class Live:
    """One server for all tests; what a test makes, it closes."""

    def __init__(self, lab):
        self.lab, self.client = lab, None

    def call(self, name, **params):
        return self.client.call(NAMESPACE + name, params)

    def has(self, *names):
        """A reason to skip, when one of the methods or actions is not announced."""
        missing = [name for name in names
                   if NAMESPACE + name not in self.client.methods and name not in self.client.actions
                   and name not in self.client.features]
        return f"{', '.join(missing)} not announced" if missing else None

    def create(self, command=CAT, **more):
        """A terminal in the background; its locator and the result."""
        created = self.call("create", cwd=str(self.lab.work), command=command,
                            **{"placement": {"kind": "workspace"}, "focus": False, **more})
        return self.client.locator(created), created

    def wait(self, locator, text, after=0):
        return self.call("wait_output", **locator, after_revision=after, match=text, timeout_ms=60_000)["content_revision"]

    def text(self, locator, mode="visible", ansi=False):
        return self.call("capture", **locator, mode=mode, lines=100, ansi=ansi)["text"]

    def entry(self, locator):
        rows = self.call("inventory")["terminals"]
        return next((row for row in rows if row["terminal_id"] == locator["terminal_id"]), None)

    def refused(self, code, call, dispatch=None):
        """Checks that a call ends with that error."""
        try:
            call()
        except ServerError as error:
            check(error.code == code, f"{error.code} in place of {code}")
            check(dispatch is None or error.dispatch == dispatch, f"dispatch {error.dispatch}")
            return
        raise Failure(f"not refused with {code}")

    # ---- Tests, in order ----

    def discovery_changes_nothing(self):
        rows = self.lab.sessions()
        check([row["name"] for row in rows if row["default"]] == ["default"], "the default session is listed")
        check(not any(row["running"] for row in rows), "nothing runs")
        check(not self.lab.home.exists(), "a home was made")
        check(self.lab.run("uhp", "proxy", text=b'{"id":"1","method":"ping","params":{}}\n').returncode != 0,
              "the proxy ended well without a server")
        check(self.lab.run("uhp", "schema").returncode == 0, "the schemas need a server")

    def a_fresh_server_has_one_terminal(self):
        self.client = self.lab.start()
        entry = self.lab.terminals(self.client, 1)[0]
        check(entry["workspace"]["index"] == 1 and entry["tab"]["index"] == 1, "counted from one")
        check(self.call("validate", **self.client.locator(entry))["state"] == "alive", "it lives")

    def a_terminal_is_created_in_the_background(self):
        before = self.client.call("session.snapshot", {})
        locator, created = self.create(label="probe", restore=False)
        check(created["placement"]["kind"] == "workspace" and created["restore"] is False, "the result")
        entry = self.entry(locator)
        check(entry["label"] == "probe" and entry["restore"] is False, "the inventory")
        check(entry["root_process"] == created["root_process"], "the process")
        focused = lambda snapshot: [pane["pane_id"] for workspace in snapshot["workspaces"] for tab in workspace["tabs"]
                                    for pane in tab["panes"] if pane["focused"]]
        check(focused(before) == focused(self.client.call("session.snapshot", {})), "the focus moved")
        _, plain = self.create()
        check("restore" not in plain, "restore without being asked")
        self.call("close", **self.client.locator(plain))
        self.call("close", **locator)

    def a_sibling_stands_in_the_same_tab(self):
        one, first = self.create()
        two, second = self.create(placement={"kind": "sibling", "of_terminal": one})
        check(second["placement"]["kind"] == "sibling", "the kind")
        check((first["placement"]["workspace"], first["placement"]["tab"])
              == (second["placement"]["workspace"], second["placement"]["tab"]), "the tab")
        for locator in (two, one):
            self.call("close", **locator)

    def input_reaches_the_child_as_it_is(self):
        locator, _ = self.create(["/bin/sh", "-c", "stty -icanon -echo -icrnl; printf ready; exec cat -v"])
        self.wait(locator, "ready")
        self.call("type_literal", **locator, text="one é\n")
        self.wait(locator, "one M-CM-)")
        self.call("paste_text", **locator, text="two ")
        self.wait(locator, "two")
        self.call("submit_text", **locator, text="three")
        self.wait(locator, "three^M")
        if not self.has("send_key"):
            for key in ("enter", "ctrl-a", "up", "digit-7"):
                self.call("send_key", **locator, key=key)
            self.wait(locator, "^M^A^[[A7")
        self.call("close", **locator)

    def modified_keys_follow_the_terminal(self):
        if reason := self.has("send_key", "modified_keys"):
            return reason
        locator, _ = self.create(["/bin/sh", "-c", "stty -icanon -echo; printf ready; exec cat -v"])
        self.wait(locator, "ready")
        for key in ("ctrl-left", "shift-tab"):
            self.call("send_key", **locator, key=key)
        self.wait(locator, "^[[1;5D^[[Z")
        self.call("close", **locator)

    def captures_are_bounded_and_plain(self):
        locator, _ = self.create(["/bin/sh", "-c", "printf '\\033[1;31mred\\033[0m  \\n'; seq 1 400; printf end; exec cat"])
        self.wait(locator, "end")
        capture = self.call("capture", **locator, mode="recent_unwrapped", lines=300, ansi=False)
        check(capture["lines"] == 300 == capture["text"].count("\n") + 1, f"{capture['lines']} lines")
        check(capture["bytes"] == len(capture["text"].encode()), "the bytes")
        check(capture["text"].endswith("400\nend") and "\x1b" not in capture["text"], "the text")
        self.call("close", **locator)
        locator, _ = self.create(["/bin/sh", "-c", "printf '\\033[1;31mred\\033[0m\\033]0;x\\007 end'; exec cat"])
        self.wait(locator, "end")
        styled = self.text(locator, ansi=True)
        check("\x1b[" in styled and "\x1b]" not in styled, "styles and nothing else")
        check(self.text(locator, "detection") == "red end", "detection is plain")
        self.refused("invalid_params", lambda: self._raw("capture", {**locator, "mode": "detection", "lines": 1, "ansi": True}))
        self.call("close", **locator)

    def _raw(self, name, params):
        """A call past the client's own check of its params."""
        expect, self.client.expect = self.client.expect, lambda path, value, broken=None: None
        try:
            return self.call(name, **params)
        finally:
            self.client.expect = expect

    def waits_end_by_change_time_and_close(self):
        locator, _ = self.create()
        revision = self.wait(locator, "ready")
        self.refused("timeout", lambda: self.call("wait_change", **locator, after_revision=2**50, timeout_ms=1))
        check(self.call("wait_change", **locator, after_revision=revision - 1, timeout_ms=60_000)["content_revision"] >= revision, "at once")
        found = {}
        other = self.lab.client()
        def parked():
            try:
                other.call(NAMESPACE + "wait_output", {**locator, "after_revision": 0, "match": "never there", "timeout_ms": 60_000}, 70)
            except ServerError as error:
                found["code"] = error.code
        thread = threading.Thread(target=parked)
        thread.start()
        self.call("close", **locator)
        thread.join(60)
        # A wait that came after the close finds no terminal any more.
        check(found.get("code") in ("terminal_gone", "stale_terminal"), f"{found}")
        check(self.call("validate", **locator)["state"] == "gone", "a closed terminal is gone")

    def identities_are_checked(self):
        locator, created = self.create()
        other = "0" * 32
        for change, code in [({"server_generation": other}, "stale_server"), ({"terminal_id": other}, "stale_terminal"),
                             ({"pane_id": "999999999"}, "stale_route"), ({"expected_root": {"pid": 1}}, "process_mismatch")]:
            self.refused(code, lambda: self.call("type_literal", **{**locator, **change}, text="never"), "rejected")
        self.call("type_literal", **locator, text="x", expected_root=created["root_process"])
        self.refused("create_failed", lambda: self.call("create", cwd=str(self.lab.work / "none"), placement={"kind": "workspace"}, focus=False), "not_started")
        self.call("close", **locator)

    def labels_and_messages_are_taken(self):
        if reason := self.has("set_title"):
            return reason
        locator, _ = self.create()
        check(self.call("set_title", **locator, title="named")["dispatch"] == "executed", "executed")
        check(self.entry(locator)["label"] == "named", "the label")
        self.call("set_title", **locator, title="")
        check(self.entry(locator)["label"] is None, "cleared")
        if not self.has("notify"):
            check(self.call("notify", **locator, title="Done", body="Hello.")["dispatch"] == "executed", "executed")
        self.call("close", **locator)

    def processes_are_names_only(self):
        if reason := self.has("processes"):
            return reason
        locator, created = self.create()
        self.wait(locator, "ready")
        found = self.call("processes", **locator)
        check(found["root_process"] == created["root_process"] and found["arguments_exposed"] is False, "the result")
        check(all("/" not in name and " " not in name for name in found["executables"]), "a path or arguments")
        self.call("close", **locator)

    def events_follow_a_life_in_order(self):
        if reason := self.has("events.subscribe"):
            return reason
        with self.client.stream(NAMESPACE + "events.subscribe", {}) as events:
            locator, _ = self.create(["/bin/sh", "-c", "printf once; read x; exit 3"])
            mine = lambda event: event["data"].get("terminal_id") == locator["terminal_id"]
            created = events.until(mine)
            check(created["event"] == "terminal.created", created["event"])
            check(created["sequence"] <= self.call("snapshot")["event_sequence"], "the snapshot is older")
            revision = self.wait(locator, "once")
            ready = events.until(lambda event: mine(event) and event["event"] == "terminal.output_ready"
                                 and event["data"]["content_revision"] >= revision)
            check(ready["data"]["content_revision"] >= revision, "the event is not behind the wait")
            self.call("submit_text", **locator, text="go")
            exited = events.until(lambda event: mine(event) and event["event"] == "terminal.exited")
            check(exited["data"]["detail"] == {"exit_code": 3, "signal": None}, f"{exited['data']['detail']}")
            closed = events.until(lambda event: mine(event) and event["event"] == "terminal.closed")
            check(closed["data"]["detail"] == {"reason": "exited", "exit_code": 3, "signal": None}, "closed repeats it")
            locator, _ = self.create(["/bin/sh", "-c", "kill -KILL $$"])
            exited = events.until(lambda event: mine(event) and event["event"] == "terminal.exited")
            check(exited["data"]["detail"] == {"exit_code": None, "signal": "SIGKILL"}, f"{exited['data']['detail']}")
            locator, _ = self.create()
            self.call("close", **locator)
            last = events.until(lambda event: mine(event) and event["event"] in ("terminal.exited", "terminal.closed"))
            check(last["event"] == "terminal.closed" and last["data"]["detail"]["reason"] == "closed", "one event for a close")

    def a_mirror_needs_no_polling(self):
        if reason := self.has("events.subscribe", "set_title"):
            return reason
        locator, _ = self.create(["/bin/sh", "-c", "exec sleep 600"])
        mirror = Mirror(self.client)
        self.call("set_title", **locator, title="mirrored")
        while mirror.terminals[locator["terminal_id"]]["label"] != "mirrored":
            mirror.step(60)
        check(mirror.snapshots == 1, "a label needs no snapshot")
        # A child that prints nothing gives no output.
        check(mirror.terminals[locator["terminal_id"]]["content_revision"] == self.entry(locator)["content_revision"], "the revision")
        self.call("close", **locator)
        while locator["terminal_id"] in mirror.terminals:
            mirror.step(60)
        rows = {row["terminal_id"]: row["content_revision"] for row in self.call("inventory")["terminals"]}
        check(set(rows) == set(mirror.terminals), "the same terminals")
        mirror.stream.close()

    def observing_shows_every_change(self):
        if reason := self.has("observe"):
            return reason
        locator, _ = self.create()
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "observe", {**locator, "ansi": False}) as frames:
            check(frames.acknowledged["lines"] == 80 and frames.acknowledged["capture_mode"] == "visible", "the defaults")
            first = frames.next()
            check(first["event"] == "terminal.frame" and first["data"]["text"].startswith("ready"), "the first frame")
            check("cursor" not in first["data"], "a cursor that was not asked for")
            self.call("type_literal", **locator, text="seen")
            frames.until(lambda frame: "seen" in frame["data"]["text"])
        if not self.has("stream_cursor"):
            with self.client.stream(NAMESPACE + "observe", {**locator, "ansi": False, "cursor": True}) as frames:
                data = frames.until(lambda frame: "seen" in frame["data"]["text"])["data"]
                check(data["cursor"] == {"offset": len(data["text"]), "padding_cells": 0}, f"{data['cursor']}")
        self.call("close", **locator)

    def control_answers_between_frames(self):
        if reason := self.has("control"):
            return reason
        locator, _ = self.create()
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "control", {**locator, "ansi": False}) as control:
            self.refused("control_conflict", lambda: self.client.stream(NAMESPACE + "control", locator), "rejected")
            if not self.has("observe"):
                self.client.stream(NAMESPACE + "observe", locator).close()
            check(control.act("type_literal", {"text": "typed"})["dispatch"] == "queued", "queued")
            control.until(lambda frame: "typed" in frame["data"]["text"])
            control.act("send_key", {"key": "enter"})
            if not self.has("set_viewport"):
                control.act("set_viewport", {"cols": 40, "rows": 12})
                control.act("submit_text", {"text": "after"})
                control.until(lambda frame: "after" in frame["data"]["text"])
        # The lease ends with the connection.
        self._control_again(locator).close()
        self.call("close", **locator)

    def _control_again(self, locator):
        for _ in range(200):
            try:
                return self.client.stream(NAMESPACE + "control", locator)
            except ServerError as error:
                check(error.code == "control_conflict", error.code)
        raise Failure("the lease outlives its connection")

    def a_viewport_gives_a_frame_of_a_silent_child(self):
        if reason := self.has("control", "set_viewport"):
            return reason
        locator, _ = self.create(["/bin/sh", "-c", "printf ready; trap 'stty size' WINCH; while :; do sleep 600 & wait; done"])
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "control", {**locator, "ansi": False}) as control:
            control.next()
            control.act("set_viewport", {"cols": 44, "rows": 13})
            control.until(lambda frame: "13 44" in frame["data"]["text"])
        self.call("close", **locator)

    def files_and_images_arrive_as_paths(self):
        if reason := self.has("control", "upload_start", "upload_chunk", "upload_finish", "upload_cancel", "paste_image"):
            return reason
        locator, _ = self.create()
        self.wait(locator, "ready")
        with self.client.stream(NAMESPACE + "control", {**locator, "ansi": False, "mode": "recent_unwrapped"}) as control:
            control.act("paste_image", {"png_base64": PNG})
            control.until(lambda frame: ".png" in frame["data"]["text"])
            data = b"hello"
            upload = control.act("upload_start", {"name": "notes.txt", "size": len(data)})
            try:
                control.act("upload_finish", {"upload_id": upload["upload_id"]})
                raise Failure("finished before all bytes were there")
            except ServerError as error:
                check((error.code, error.dispatch) == ("invalid_params", "rejected"), f"{error.code} {error.dispatch}")
            for offset, part in [(0, data[:2]), (2, data[2:])]:
                control.act("upload_chunk", {"upload_id": upload["upload_id"], "offset": offset,
                                             "data_base64": base64.b64encode(part).decode()})
            control.act("upload_finish", {"upload_id": upload["upload_id"]})
            control.until(lambda frame: "notes.txt" in frame["data"]["text"])
            upload = control.act("upload_start", {"name": "gone.txt", "size": 5})
            control.act("upload_cancel", {"upload_id": upload["upload_id"]})
        left = [path.name for path in self.lab.home.rglob("*gone.txt*")]
        check(not left, f"a cancelled upload left {left}")
        self.call("close", **locator)

    def the_command_line_passes_frames_on(self):
        reply = self.lab.run("uhp", "proxy", text=b'{"id":"p1","method":"terminal.backend.inventory","params":{}}\nmore\n')
        check(reply.returncode == 0 and reply.stdout.count(b"\n") == 1 and b'"id":"p1"' in reply.stdout, "one reply line")
        reply = self.lab.run("uhp", "proxy", text=b'{"id":"p2","method":"no.such","params":{}}\n')
        check(reply.returncode == 0 and b'"error"' in reply.stdout, "an error is a reply")
        for verb in ("capabilities", "snapshot"):
            reply = self.lab.run("uhp", verb)
            check(reply.returncode == 0 and b'"result"' in reply.stdout, f"uhp {verb}")

    def a_restart_changes_the_generation(self):
        entry = self.lab.terminals(self.client, 1)[0]
        old, generation = self.client.locator(entry), self.client.generation
        self.lab.stop(self.client)
        check(not any(row["running"] for row in self.lab.sessions()), "it still runs")
        self.client = self.lab.start()
        check(self.client.generation != generation, "the generation stayed")
        self.refused("stale_server", lambda: self.call("validate", **old))
        self.lab.stop(self.client)

    def tests(self):
        """Everything above, in order."""
        return [
            self.discovery_changes_nothing, self.a_fresh_server_has_one_terminal, self.a_terminal_is_created_in_the_background,
            self.a_sibling_stands_in_the_same_tab, self.input_reaches_the_child_as_it_is, self.modified_keys_follow_the_terminal,
            self.captures_are_bounded_and_plain, self.waits_end_by_change_time_and_close, self.identities_are_checked,
            self.labels_and_messages_are_taken, self.processes_are_names_only, self.events_follow_a_life_in_order,
            self.a_mirror_needs_no_polling, self.observing_shows_every_change, self.control_answers_between_frames,
            self.a_viewport_gives_a_frame_of_a_silent_child, self.files_and_images_arrive_as_paths,
            self.the_command_line_passes_frames_on, self.a_restart_changes_the_generation,
        ]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--luvus", required=True, help="the built program")
    return run_suite("live", Live(Lab(options.parse_args().luvus)).tests())


if __name__ == "__main__":
    sys.exit(main())
