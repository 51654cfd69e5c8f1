"""Calls the functions of examples/python/packetfilter.py with every argument, and prints what is sent."""

import inspect
import json
import sys
from typing import Any

import pulumi

import packetfilter as pf

registered: dict[str, dict[str, Any]] = {}


class Engine(pulumi.runtime.Mocks):
    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        registered[args.name] = {"type": args.typ, "inputs": args.inputs}
        return "id", dict(args.inputs)

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        return {}


def refusal(function: Any, **args: Any) -> str:
    try:
        function("refused", **args)
    except pulumi.RunError as error:
        return str(error)
    return "not refused"


@pulumi.runtime.test
def call_all() -> None:
    for function, args in GIVEN.items():
        names = [name for name in inspect.signature(function).parameters if name not in ("name", "opts")]
        function(function.__name__, **{name: args.get(name, name) for name in names})


    for name, node in NODES.items():
        pf.prefix_set_entry(name, **PLACE, prefix="192.0.2.0/24", node=node)


def is_secret(name: str) -> bool:
    node = registered[name]["inputs"]["node"]
    return "value" in node and "endpoint" not in node


pulumi.runtime.set_mocks(Engine(), preview=False)
PLACE = {"arena": "edge", "set": "blocked"}
GIVEN: dict[Any, dict[str, Any]] = {
    pf.prefix_set: {
        "entries": {"192.0.2.0/24": pulumi.Output.from_input(7), "203.0.113.7": {"value": 2, "reason": "flood"}},
    },
    pf.prefix_set_group: {
        "entries": ["192.0.2.0/24"],
        "nodes": {"fra1": {}, "ams1": {"entries": {"203.0.113.9": 2}, "maxRemovals": "10%"}},
    },
    pf.prefix_set_entry: {"prefix": pulumi.Output.from_input("203.0.113.4"), "node": "fra1"},
    pf.cloud_signaling: {
        "prefixes": ("198.51.100.7",),
        "receiver": pulumi.Output.from_input({"url": "https://192.0.2.20", "secretKey": "secret"}),
    },
}
ENDPOINT = "https://192.0.2.10"
NODES: dict[str, Any] = {
    "headers": {"endpoint": ENDPOINT, "headers": {"Authorization": "token"}},
    "headers that come later": pulumi.Output.from_input({"endpoint": ENDPOINT, "headers": {"Authorization": "token"}}),
    "client key": {"endpoint": ENDPOINT, "tls": {"key": "key"}},
    "user in the address": {"endpoint": pulumi.Output.from_input("https://user:password@192.0.2.10")},
    "nothing": {"endpoint": ENDPOINT, "tls": {"ca": "ca"}, "timeoutMs": 5_000},
}
call_all()
refused = [
    refusal(pf.prefix_set, **PLACE, entries={"192.0.2.0/24": None}),
    refusal(pf.prefix_set, **PLACE, entries=["192.0.2.0/24", None]),
    refusal(pf.prefix_set, **PLACE, entries={"192.0.2.0/24": {"value": None}}),
    refusal(pf.prefix_set_group, **PLACE, entries=[], nodes={"fra1": None}),
    refusal(pf.prefix_set_entry, **PLACE, prefix=None),
    refusal(pf.cloud_signaling, prefixes=["198.51.100.7"], opts=pulumi.ResourceOptions(import_="x")),
]
secret = [name for name in NODES if is_secret(name)]
json.dump({"registered": registered, "refused": refused, "secret": secret}, sys.stdout)
