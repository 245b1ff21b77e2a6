"""A laboratory for the suites: a LUVUS_HOME of its own below the checkout's `target/`, a server in it,
and nothing left behind. Installed servers and their homes are never touched."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from uhp_client import Client, EndpointRefused
from uhp_schema import Schemas

CHECKOUT = Path(__file__).resolve().parents[3]
# What a host must have for the suites; a test runner takes it for "not here", not for a failure.
SKIPPED = 77
READY_SECONDS = 60.0


class Failure(AssertionError):
    """A check of a suite did not hold."""


def check(holds, what):
    """Fails the present test with a sentence."""
    if not holds:
        raise Failure(what)


def folder(prefix):
    """A private folder below `target/`, removed at the end."""
    target = CHECKOUT / "target"
    target.mkdir(exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=prefix, dir=target)).resolve()
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def require_a_private_checkout(path):
    """Ends as skipped where the endpoint rules can never be met, because others may write above."""
    for parent in [path, *path.parents]:
        if parent.stat().st_mode & 0o022:
            print(f"skipped: others may write to {parent}, so a strict consumer refuses every socket below it")
            sys.exit(SKIPPED)


class Lab:
    """One home, and at most one server in it."""

    def __init__(self, luvus):
        self.luvus = str(Path(luvus).resolve())
        self.root = folder("uhp-lab-")
        require_a_private_checkout(self.root.parent)
        self.home, self.work = self.root / "home", self.root / "work"
        for made in (self.work, self.root / "person"):
            made.mkdir(mode=0o700)
        self.server, self.schemas = None, Schemas.of_folder()
        # Nothing of the caller's session comes through.
        self.environment = {
            "LUVUS_HOME": str(self.home), "HOME": str(self.root / "person"), "SHELL": "/bin/sh", "PS1": "$ ",
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "TERM": "xterm-256color",
        }
        atexit.register(self.kill)

    def run(self, *arguments, text=None):
        """Runs a command of the program to its end."""
        return subprocess.run([self.luvus, *arguments], env=self.environment, cwd=self.work, input=text,
                              capture_output=True, timeout=60)

    def sessions(self):
        """What discovery says."""
        output = self.run("session", "list", "--json")
        check(output.returncode == 0, f"discovery failed: {output.stderr.decode(errors='replace').strip()}")
        return json.loads(output.stdout)["sessions"]

    def start(self):
        """Starts the server and returns a client that has negotiated."""
        with open(self.root / "server.stderr", "wb") as log:
            self.server = subprocess.Popen([self.luvus, "server"], env=self.environment, cwd=self.work,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        deadline = time.monotonic() + READY_SECONDS
        while True:
            row = next(row for row in self.sessions() if row["default"])
            if row["running"]:
                return self.client(row["endpoint"]["address"])
            check(self.server.poll() is None, "the server ended at once: " + self.log())
            check(time.monotonic() < deadline, "the server is not reachable")
            time.sleep(0.05)

    def client(self, address=None):
        """A negotiated client."""
        address = address or next(row for row in self.sessions() if row["default"])["endpoint"]["address"]
        client = Client(address, self.schemas)
        client.negotiate()
        return client

    def log(self):
        """What the server wrote to standard error."""
        return (self.root / "server.stderr").read_text(errors="replace").strip()

    def stop(self, client):
        """Ends the server by its own method and checks that it goes."""
        client.call("server.stop", {})
        check(self.server.wait(timeout=20) == 0, "the server did not end well")
        self.server = None

    def kill(self):
        """Ends whatever is left."""
        if self.server and self.server.poll() is None:
            self.server.terminate()
            try:
                self.server.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
        self.server = None

    def shell(self, client):
        """The locator of the first shell, once it is there."""
        return client.locator(self.terminals(client, 1)[0])

    def terminals(self, client, count):
        """The inventory, once it has so many entries."""
        deadline = time.monotonic() + READY_SECONDS
        while True:
            found = client.call("terminal.backend.inventory", {})["terminals"]
            if len(found) == count:
                return found
            check(time.monotonic() < deadline, f"{len(found)} terminals in place of {count}")
            time.sleep(0.02)


def run_suite(name, tests):
    """Runs tests in order; each is a function, or returns a text that says why it is skipped."""
    failed = 0
    for test in tests:
        title = test.__name__.replace("_", " ")
        try:
            reason = test()
            print(f"{'skip' if reason else 'ok  '} {title}{': ' + reason if reason else ''}", flush=True)
        except EndpointRefused as error:
            failed += 1
            print(f"FAIL {title}: the endpoint was refused: {error}", flush=True)
        except Exception as error:  # a suite reports whatever went wrong and goes on
            failed += 1
            print(f"FAIL {title}: {type(error).__name__}: {error}", flush=True)
    print(f"{name}: {len(tests) - failed} of {len(tests)} passed")
    return 1 if failed else 0
