#!/usr/bin/env python3
"""Measures luvus beside tmux: key to echo, start, attach, idle wake-ups, memory.

    python3 bench/latency.py [--quick] [--luvus PATH] [--json]

What the rows mean: docs/benchmarks.md. Works in a temporary folder with a LUVUS_HOME and a tmux
socket of its own, and ends what it started.
"""
import argparse
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROMPT = "bench> "
LARGE = (200, 50)
SMALL = (80, 24)
PATIENCE_S = 30
FLOOD = "yes 'a line of output that goes on for a while and then ends, as lines of logs do'"

# Answers each key with a sign of its own, so that a client which draws only what changed shows it.
ECHO = """
import os, tty
tty.setraw(0)
os.write(1, b"\\x1b[2J\\x1b[H" + "\u28ff".encode())
count = 0
while True:
    for _ in os.read(0, 1024):
        count += 1
        os.write(1, b"\\x1b[H" + chr(0x2800 + 1 + count % 255).encode())
"""

# Fills the screen from the first to the last row, then waits.
PAGE = """
import os, sys, tty
tty.setraw(0)
cols, rows = os.get_terminal_size(0)
lines = ["first-row"] + ["x" * (cols - 1)] * (rows - 2) + ["last-row"]
os.write(1, b"\\x1b[2J\\x1b[H" + "\\r\\n".join(lines).encode())
os.read(0, 1)
"""


class Failed(Exception):
    """A measurement that could not be taken."""


class Client:
    """A program in a terminal of ours."""

    def __init__(self, argv, env, size, cwd):
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                cols, rows = size
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)
        cols, rows = size
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        os.set_blocking(self.fd, False)
        self.tail = b""

    def write(self, data):
        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [self.fd], [], PATIENCE_S)
            if not ready:
                raise Failed("the client does not read")
            view = view[os.write(self.fd, view):]

    def read(self, timeout):
        """The next piece of output, b"" after `timeout` without any."""
        ready, _, _ = select.select([self.fd], [], [], max(timeout, 0))
        if not ready:
            return b""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            raise Failed("the client ended: " + self.tail[-400:].decode(errors="replace"))
        self.answer(data)
        return data

    def answer(self, data):
        """Answers what a terminal is asked before a program decides on its keys."""
        for question, reply in ((b"\x1b[?u", b"\x1b[?0u"), (b"\x1b[c", b"\x1b[?62c"), (b"\x1b[0c", b"\x1b[?62c")):
            if question in data:
                self.write(reply)
        self.tail = (self.tail + data)[-4000:]

    def wait_for(self, *texts):
        """Waits until all texts were written; returns when the last of them came."""
        missing = [text.encode() for text in texts]
        seen = b""
        deadline = time.perf_counter() + PATIENCE_S
        while missing:
            left = deadline - time.perf_counter()
            if left <= 0:
                raise Failed(f"never seen: {missing}; last: {self.tail[-400:]!r}")
            seen += self.read(left)
            missing = [text for text in missing if text not in seen]
            seen = seen[-(1 << 20):]
        return time.perf_counter()

    def drain(self, seconds):
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            self.read(left)

    def settle(self):
        """Reads until nothing came for a moment."""
        while self.read(0.3):
            pass

    def end(self):
        if self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.waitpid(self.pid, 0)
            os.close(self.fd)
            self.pid = 0


class Multiplexer:
    """What both have in common: a folder, an environment, clients to end."""

    def __init__(self, folder):
        self.folder = folder
        self.clients = []
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": folder,
            "SHELL": "/bin/sh",
            "PS1": PROMPT,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }

    def run(self, *argv):
        done = subprocess.run(
            argv, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S
        )
        if done.returncode != 0:
            raise Failed(f"{' '.join(argv)}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode()

    def client(self, size):
        client = Client(self.attach_argv(), self.env, size, self.folder)
        self.clients.append(client)
        return client

    def ready(self, size):
        """An attached client whose shell is at its prompt."""
        client = self.client(size)
        client.wait_for(PROMPT.strip())
        client.settle()
        return client

    def end(self):
        for client in self.clients:
            client.end()
        self.clients = []
        self.stop()


class Luvus(Multiplexer):
    name = "luvus"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = program
        self.home = os.path.join(folder, "luvus")
        self.env["LUVUS_HOME"] = self.home

    def attach_argv(self):
        return [self.program]

    def server_pid(self):
        # the only process of this program and this home that was started as a server
        wanted = f"LUVUS_HOME={self.home}".encode()
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{entry}/environ", "rb") as file:
                    ours = wanted in file.read().split(b"\0")
            except OSError:
                continue
            if ours and words[0] == self.program.encode() and b"server" in words:
                return int(entry)
        raise Failed("no server")

    def hidden(self, command=None):
        self.run(self.program, "tab", "new", "--no-focus")
        if command:
            self.run(self.program, "pane", "run", str(self.newest()), command)

    def beside(self, command):
        self.run(self.program, "pane", "split", "--right", "--no-focus", "--", "/bin/sh", "-c", command)

    def newest(self):
        listed = json.loads(self.run(self.program, "pane", "list"))
        return max(pane["pane_id"] for pane in listed["result"]["panes"])

    def visit(self, tab):
        self.run(self.program, "tab", "focus", str(tab))

    def stop(self):
        if os.path.exists(os.path.join(self.home, "luvus.sock")):
            try:
                self.run(self.program, "server", "stop")
            except (Failed, subprocess.TimeoutExpired) as error:
                print(f"luvus did not stop: {error}", file=sys.stderr)
        shutil.rmtree(self.home, ignore_errors=True)


class Tmux(Multiplexer):
    name = "tmux"

    def __init__(self, folder):
        super().__init__(folder)
        self.env["TMUX_TMPDIR"] = folder
        self.config = os.path.join(folder, "tmux.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            # a plain shell as in luvus, and as much history
            file.write('set -g default-command "exec /bin/sh"\nset -g history-limit 10000\nset -sg escape-time 0\n')

    def base(self):
        return ["tmux", "-u", "-L", "bench", "-f", self.config]

    def attach_argv(self):
        return [*self.base(), "new-session", "-A", "-s", "bench"]

    def server_pid(self):
        return int(self.run(*self.base(), "display-message", "-p", "#{pid}"))

    def hidden(self, command=None):
        self.run(*self.base(), "new-window", "-d", *([command] if command else []))

    def beside(self, command):
        self.run(*self.base(), "split-window", "-h", "-d", command)

    def visit(self, tab):
        self.run(*self.base(), "select-window", "-t", f":{tab}")

    def stop(self):
        subprocess.run(
            [*self.base(), "kill-server"], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def milliseconds(values):
    return f"{statistics.median(values):7.2f} {percentile(values, 0.99):8.2f}"


def key_to_echo(mux, samples, arrange):
    """Milliseconds from a key to its sign, many times."""
    client = mux.ready(LARGE)
    arrange(mux)
    client.drain(0.5)
    script = os.path.join(mux.folder, "echo.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(ECHO)
    client.write(f"{sys.executable} {script}\r".encode())
    client.wait_for(chr(0x28FF))
    client.drain(0.5)
    taken, count, warm_up = [], 0, 20
    while len(taken) < samples:
        count += 1
        sign = chr(0x2800 + 1 + count % 255).encode()
        tail, start = b"", time.perf_counter()
        client.write(b"k")
        while sign not in tail:
            if time.perf_counter() - start > PATIENCE_S:
                raise Failed("a key was never answered")
            tail = tail[-8:] + client.read(PATIENCE_S)
        if count > warm_up:
            taken.append((time.perf_counter() - start) * 1000)
        # a gap, so that samples are keys of a person and not a stream; not always the same one
        client.drain(random.uniform(0.005, 0.025))
    return milliseconds(taken)


def cold_start(mux, samples):
    """Milliseconds from starting a client, without a server, to the shell's prompt."""
    taken = []
    for _ in range(samples):
        client = mux.client(SMALL)
        taken.append((client.wait_for(PROMPT.strip()) - client.started) * 1000)
        client.settle()
        mux.end()
    return milliseconds(taken)


def attach(mux, samples):
    """Milliseconds from starting a client to all of a full screen."""
    script = os.path.join(mux.folder, "page.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(PAGE)
    first = mux.ready(LARGE)
    first.write(f"{sys.executable} {script}\r".encode())
    first.wait_for("first-row", "last-row")
    first.settle()
    first.end()
    taken = []
    for _ in range(samples):
        client = mux.client(LARGE)
        taken.append((client.wait_for("first-row", "last-row") - client.started) * 1000)
        client.settle()
        client.end()
    return milliseconds(taken)


def switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
            total += sum(int(n) for n in re.findall(r"voluntary_ctxt_switches:\s+(\d+)", file.read()))
    return total


def idle(mux, panes, seconds):
    """Context switches of the server while nothing happens."""
    client = mux.ready(LARGE)
    for _ in range(panes - 1):
        mux.hidden()
    client.settle()
    client.drain(2)
    pid = mux.server_pid()
    before = switches(pid)
    client.drain(seconds)
    return f"{switches(pid) - before:7d}"


def memory(mux, panes, size):
    """The server's proportional set size."""
    client = mux.ready(size)
    for _ in range(panes - 1):
        mux.hidden()
    for tab in range(panes if panes > 1 else 0):
        mux.visit(tab)
        client.drain(0.05)
    client.settle()
    with open(f"/proc/{mux.server_pid()}/smaps_rollup", encoding="utf-8") as file:
        kilobytes = int(re.search(r"^Pss:\s+(\d+) kB", file.read(), re.MULTILINE).group(1))
    return f"{kilobytes / 1024:7.1f}"


def measurements(quick):
    keys, starts, seconds, many = (60, 3, 2, 10) if quick else (400, 15, 5, 50)
    yield "key to echo, ms: median, p99", lambda mux: key_to_echo(mux, keys, lambda _: None)
    yield "  a hidden pane floods", lambda mux: key_to_echo(mux, keys, lambda it: it.hidden(FLOOD))
    yield "  a visible pane floods", lambda mux: key_to_echo(mux, keys, lambda it: it.beside(FLOOD))
    yield "cold start to prompt, ms: median, p99", lambda mux: cold_start(mux, starts)
    yield "attach to full screen, ms: median, p99", lambda mux: attach(mux, starts)
    if os.path.isdir("/proc/self/task"):
        yield f"idle wake-ups in {seconds} s, 1 pane", lambda mux: idle(mux, 1, seconds)
        yield f"idle wake-ups in {seconds} s, {many} panes", lambda mux: idle(mux, many, seconds)
        yield "server PSS, MiB: 1 pane of 80×24", lambda mux: memory(mux, 1, SMALL)
        yield f"server PSS, MiB: {many} panes of 200×50", lambda mux: memory(mux, many, LARGE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--luvus", default="target/release/luvus", help="the program [target/release/luvus]")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the rows that contain TEXT")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.luvus)
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is missing: cargo build --release")
    # a stop signal takes the way of an interrupt, through all the clean-up
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    makers = [lambda folder: Luvus(folder, program)]
    if shutil.which("tmux"):
        makers.append(Tmux)
    else:
        print("tmux is not there and is left out", file=sys.stderr)
    rows = []
    for title, measure in measurements(arguments.quick):
        if arguments.only not in title:
            continue
        row = {"what": title}
        for make in makers:
            with tempfile.TemporaryDirectory(prefix="luvus-bench-") as folder:
                mux = make(os.path.realpath(folder))
                try:
                    row[mux.name] = measure(mux)
                except (Failed, OSError, subprocess.TimeoutExpired) as error:
                    row[mux.name] = "failed"
                    print(f"{title}: {mux.name}: {error}", file=sys.stderr)
                finally:
                    mux.end()
        rows.append(row)
        if not arguments.json:
            if len(rows) == 1:
                print(f"{'':42}{'luvus':>18}{'tmux':>18}")
            print(f"{title:42}{row['luvus']:>18}{row.get('tmux', '—'):>18}", flush=True)
    if arguments.json:
        print(json.dumps(rows, indent=2))
    sys.exit(any("failed" in row.values() for row in rows))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
