#!/usr/bin/env python3
"""Spawns a worker, runs a command beside it, types into it, reads its screen and takes it down: the
complete example of the contract, step by step, with a second connection that only listens.

    python3 examples/pane-backend/worker.py            # inside a pane, or with a server running
"""

import base64
import sys

from pane_backend import PaneBackend


def expect(condition, what):
    if not condition:
        sys.exit(f"not as the contract says: {what}")


def main():
    with PaneBackend() as panes, PaneBackend() as listener:
        hello = panes.call("initialize", protocol_version="2", capabilities=[])
        expect(hello["protocol_version"] == "2", hello)
        expect(hello["capabilities"][:3] == ["events", "capture", "run_shell"], hello)
        print("this is pane", hello["self_context_id"])

        worker = panes.call("spawn_agent", command=["sh"], wait_ready=True, mode="split",
                            env={"PS1": "worker> "}, metadata={"name": "worker-1", "role": "coder"})
        pane = worker["context_id"]
        expect(worker["ready"] and worker["created_via"] == "split", worker)
        expect(worker["data_version"] > 0 and worker["elapsed_ms"] >= 0, worker)
        print("the worker is pane", pane)
        ready = listener.event("context_ready", pane)
        expect(ready["context_id"] == pane and ready["ready_signal"] == "idle", ready)

        number = panes.send("exec", context_id=pane, command="echo 42 passed", capture=True, timeout_ms=120000)
        done = panes.result(number)
        expect((done["exit_code"], done["stdout"], done["stderr"]) == (0, "42 passed\n", ""), done)
        expect(panes.order.index("exec_completed") < panes.order.index(number), panes.order)
        told = listener.event("exec_completed", pane)
        expect((told["context_id"], told["exit_code"], told["command"]) == (pane, 0, "echo 42 passed"), told)

        before = panes.call("capture", context_id=pane, clean=True)
        typed = base64.b64encode(b"echo from $((40 + 2))\n").decode()
        expect(panes.call("write", context_id=pane, data=typed) == {}, "write")
        met = panes.call("wait_for", condition="output", arg=r"(?m)^from 42$", pane_id=pane, timeout_ms=20000)
        expect(met["kind"] == "success", met)
        screen = panes.call("capture", context_id=pane, clean=True)
        expect("from 42" in screen["text"].splitlines(), screen)
        expect(screen["data_version"] > before["data_version"], screen)
        print(screen["text"])

        number = panes.send("kill", context_id=pane)
        expect(panes.result(number) == {}, "kill")
        for connection in (panes, listener):
            exited = connection.event("context_exited", pane)
            expect(exited == {"context_id": pane, "exit_code": -1}, exited)
        expect(panes.order.index(number) < panes.order.index("context_exited"), panes.order)
        print("the worker is gone")


if __name__ == "__main__":
    main()
