#!/usr/bin/env python3
"""The reference consumer of UHP 1.0. Python's standard library only.

    consumer.py --fixtures                 every fixture and endpoint case against its manifest
    consumer.py --discover                 find the session, check its endpoint, show what it offers
    consumer.py --socket /path/luvus.sock  the same without discovery
    consumer.py --discover --events 10     and follow ten events

Prints one JSON document. It tells counts and ids, never what is on a screen.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from uhp_client import (
    CONTROL_CAPABILITIES, NAMESPACE, Client, ContractBroken, EndpointRefused, Entry, Mirror, ServerError,
    check_address, check_pipe, method_file,
)
from uhp_schema import BASE, PROTOCOL, DuplicateKey, Schemas, parse

USER = 1000


def frame_of(row, folder):
    """The bytes of a fixture as they stand on the wire."""
    if "make" in row:
        make = row["make"]
        return (make["head"] + make["repeat"] * make["times"] + make["tail"]).encode()
    data = (folder / row["file"]).read_bytes()
    # Laid out for people; on the wire a frame is one line.
    return json.dumps(parse(data.decode())).encode() + b"\n" if row["file"].endswith(".json") else data


def verdict(schemas, row, frame, folder):
    """How this consumer classes a frame, and by what it found a fault."""
    if not frame.endswith(b"\n") or len(frame) > 1_048_576:
        return "invalid", "framing"
    try:
        value = parse(frame.decode())
    except (DuplicateKey, ValueError, RecursionError):
        return "invalid", "parser"
    schema = os.path.relpath((folder / row["schema"]).resolve(), PROTOCOL).replace(os.sep, "/")
    faults = schemas.faults(schema, value)
    part = {"request": "params", "response": "result"}.get(row["kind"])
    if not faults and part and part in value and schemas.has(method_file(row.get("method", ""))):
        faults = schemas.faults(f"{method_file(row['method'])}#/$defs/{part}", value[part])
    if faults:
        return "invalid", "schema"
    # What only the state of a server can tell is valid here.
    return row["verdict"], "server" if row["verdict"] == "invalid" else None


def check_fixtures(schemas):
    """Every fixture; returns how many, and those that got another verdict."""
    wrong, count = [], 0
    for folder in (PROTOCOL / "fixtures", PROTOCOL / "terminal" / "fixtures"):
        for row in parse((folder / "manifest.json").read_text(encoding="utf-8"))["fixtures"]:
            count += 1
            found = verdict(schemas, row, frame_of(row, folder), folder)
            if found != (row["verdict"], row.get("found_by")):
                wrong.append({"fixture": row.get("file") or row["name"], "found": found})
    return count, wrong


def check_endpoint_cases(schemas):
    """Every case of the endpoint rules."""
    wrong, cases = [], schemas.documents[BASE + "terminal/endpoint-rules.json"]["cases"]
    owners = {"user": USER, "root": 0, "other": USER + 1}
    for case in cases:
        try:
            if case["platform"] == "windows":
                check_pipe(case["address"], case["server_sid"] == "own", case["dacl_owner"] == "own")
            else:
                entries = {
                    row["path"]: Entry(row["type"], owners[row["owner"]], int(row["mode"], 8)) for row in case["path"]
                }
                check_address(case["address"], USER, case["platform"], entries.__getitem__)
            found = "accept"
        except EndpointRefused:
            found = "reject"
        if found != case["verdict"]:
            wrong.append({"case": case["name"], "found": found})
    return len(cases), wrong


def discover(luvus, session):
    """The address of a running session, by the one command that discovers."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("LUVUS_SOCKET_PATH", "LUVUS_SESSION")}
    output = subprocess.run([luvus, "session", "list", "--json"], env=environment, check=True,
                            capture_output=True, timeout=30).stdout
    for row in json.loads(output)["sessions"]:
        if row["running"] and (row["name"] == session if session else row["default"]):
            if row["endpoint"]["transport"] not in ("unix_socket", "windows_named_pipe"):
                raise ContractBroken("an unknown transport")
            return row["endpoint"]["address"]
    raise EndpointRefused("no such session is running")


def look(client, events):
    """Capabilities, inventory, and the reconciliation of events with the snapshot."""
    offered = client.negotiate()
    for name in client.actions:
        method = NAMESPACE + CONTROL_CAPABILITIES.get(name, name)
        control_only = client.schemas.documents[BASE + "terminal/action.schema.json"]["$defs"]
        if method not in client.methods and name not in control_only:
            raise ContractBroken(f"the capability {name} has no method")
    report = {"protocol": offered["protocol"], "session": offered["session"],
              "methods": len(client.methods), "capabilities": sorted(client.actions),
              "features": sorted(client.features)}
    if NAMESPACE + "inventory" in client.methods:
        inventory = client.call(NAMESPACE + "inventory", {})
        report["terminals"] = len(inventory["terminals"])
        report["truncated"] = inventory["truncated"]
    if NAMESPACE + "events.subscribe" in client.methods:
        mirror = Mirror(client)
        done = [mirror.step()[0] for _ in range(events)]
        mirror.stream.close()
        report["mirror"] = {"terminals": len(mirror.terminals), "fence": mirror.fence, "events": done}
    return report


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = options.add_mutually_exclusive_group(required=True)
    what.add_argument("--fixtures", action="store_true", help="check the published fixtures")
    what.add_argument("--discover", action="store_true", help="connect to a running session")
    what.add_argument("--socket", metavar="PATH", help="connect to this socket")
    options.add_argument("--luvus", default="luvus", help="the program that discovers [luvus]")
    options.add_argument("--session", help="which session [the default one]")
    options.add_argument("--events", type=int, default=0, help="follow so many events")
    given = options.parse_args()
    schemas = Schemas.of_folder()
    if given.fixtures:
        (fixtures, wrong), (cases, wrong_cases) = check_fixtures(schemas), check_endpoint_cases(schemas)
        print(json.dumps({"fixtures": fixtures, "endpoint_cases": cases, "wrong": wrong + wrong_cases}, indent=2))
        return 1 if wrong or wrong_cases else 0
    try:
        address = discover(given.luvus, given.session) if given.discover else str(Path(given.socket))
        print(json.dumps(look(Client(address, schemas), given.events), indent=2))
        return 0
    except (EndpointRefused, ContractBroken, ServerError, ConnectionError) as error:
        print(f"consumer: {type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
