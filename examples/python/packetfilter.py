"""The resources of pulumi-packetfilter in a Pulumi program written in Python. Copy this file beside the program.

The provider is the npm package, unchanged: the folder of the program (the one with Pulumi.yaml) needs a `node_modules`
with `pulumi-packetfilter` and `@pulumi/pulumi`, and Node on PATH. Arguments are those of the TypeScript classes, in
snake case; None leaves one out. Members of `node`, `receiver`, `tls` and `answers` have the names that they have in the
stack's configuration. Addresses such as docs/contract.md are of the package's repository.

What is the same, since the provider does it: every check of an argument, limits, adoption, warnings, refresh, repair,
one commit for all that is changed together, policies.

What the TypeScript classes add in the program, and this module does not have:

- PrefixSetFleet, which changes nodes wave by wave: declare a group for each wave.
- Conflicts: two resources that claim one entry are not refused: declare each entry once. The provider cannot tell them
  from one resource that is replaced, since the engine checks that twice and names neither.
- A preview that looks: it plans by the state alone, and `packetfilter:previewReads` has no effect;
  `pulumi preview --refresh` looks at the nodes. The engine tells a dynamic provider of no preview, and creates nothing
  in one.
- Secrets in entries, prefixes, reasons and tickets: the provider would repeat them in the clear, in `notes`, `started`,
  ids, urls and messages. Give as secrets only what belongs to a connection; this module marks headers, keys, and an
  address with a user.
- Warnings of misspelt keys of the configuration, read functions, and prefix files: the command line has `list`, and
  Python reads files.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

import pulumi
from pulumi import Input, Output

__all__ = [
    "Absent",
    "Answers",
    "CloudSignaling",
    "Columns",
    "Entries",
    "Entry",
    "GroupNode",
    "GroupNodes",
    "ListFormat",
    "Node",
    "PrefixSet",
    "PrefixSetEntry",
    "PrefixSetGroup",
    "Receiver",
    "ReceiverAnswers",
    "ShortestPrefix",
    "Tls",
    "Verdict",
    "cloud_signaling",
    "prefix_set",
    "prefix_set_entry",
    "prefix_set_group",
]

# Both stand in every state of this package, whichever language the program has: they never change.
_TYPE_TOKEN = "pulumi-nodejs:dynamic/packetfilter:%s"
_PROVIDER_TEXT = 'exports.handler=()=>require("pulumi-packetfilter/provider").get("%s")'

_REQUIRED = ("arena", "set", "entries", "nodes", "prefix", "prefixes")


class Tls(TypedDict, total=False):
    """TLS settings of a connection; texts in PEM form."""

    ca: Input[str]
    """Certificates of the authorities that are trusted instead of the usual ones."""
    cert: Input[str]
    """Client certificate; needs `key`."""
    key: Input[str]
    """Private key of the client certificate. A secret."""
    serverName: Input[str]
    """Name that the server's certificate must carry, where it is not the host of the url."""


class _NodeOptions(TypedDict, total=False):
    headers: Input[Mapping[str, Input[str]]]
    """Further request headers, for example `{ authorization: "Bearer …" }`. Secrets. Default: none."""
    userArena: Input[str]
    """Value of the header `User-Arena` of mark lists. Default: the arena that is asked for."""
    tls: Input[Tls]
    """Only with an `https:` endpoint."""
    timeoutMs: Input[int]
    """Milliseconds for one request and its answer. Default: 10 000."""
    deadlineMs: Input[int]
    """Milliseconds for one request with all its repeats and pauses. Default: 60 000."""
    maxTries: Input[int]
    """How often one request is sent at most; 1 means that nothing is repeated. Default: 5."""
    retryPauseMs: Input[int]
    """Milliseconds of the longest pause after the first try; doubled after each further one. The pause itself is drawn
    between 0 and that, and comes on top of what a `Retry-After` asks for. Default: 300."""
    maxRetryPauseMs: Input[int]
    """Milliseconds above which such a pause does not grow. Default: 10 000."""
    maxEntriesPerRequest: Input[int]
    """Entries in one insert or delete request. Default: 5 000."""
    maxBytesPerRequest: Input[int]
    """Bytes of one insert or delete request. Default: 1 048 576 (1 MiB)."""
    maxConcurrency: Input[int]
    """Requests to the node at the same time. Default: 4."""
    maxAnswerBytes: Input[int]
    """Bytes of one answer; a longer one is an error and is not read to its end. Default: 134 217 728 (128 MiB)."""
    maxListRecords: Input[int]
    """Records of one list; a longer one is an error. Default: 5 000 000."""
    maxValue: Input[int]
    """The largest value that the node takes; resources and `block` refuse larger ones before anything is sent. Default:
    none."""
    commitCoalesceMs: Input[int]
    """Milliseconds of quiet after which gathered changes of a set are written. Default: 30."""
    foreignStaged: Input[Literal["fail", "warn"]]
    """What happens when another writer has staged changes of a set that a commit would publish. Set, one more list
    before each commit looks for them, which works on nodes that list staged entries: `"fail"` commits nothing, `"warn"`
    says so and goes on. Default: no such list; what others did is reported after the commit."""
    answers: Input[Answers]
    """How the node answers, where its answers are none of the natural shapes. Default: natural shapes only."""
    absentSet: Input[Literal["fail", "empty"]]
    """What it means that the node answers the list of a set with 404: `"fail"` an error, `"empty"` an empty set, which
    the first insert makes. Default: `"fail"`."""
    onUnreachable: Input[Literal["fail", "skip"]]
    """What a refresh does when the node does not answer at all: `"fail"`, or `"skip"`, which keeps the state and says
    so. Default: `"fail"`."""
    markPauseMs: Input[int]
    """Milliseconds from the end of one list of marks to the start of the next, failed tries included, for all callers
    in this process. Default: 3 000; less only with `markPace: "off"`."""
    markPace: Input[Literal["table", "node", "off"]]
    """Which lists of marks the pause is kept between: those of one table, or any two of the node. With `"off"` no list
    waits. Default: `"table"`."""


class Node(_NodeOptions):
    """A node, written in the program instead of named in the configuration. It stands by itself: nothing of the
    configuration is mixed in.

    >>> node: Node = {"endpoint": "https://192.0.2.10", "headers": {"Authorization": config.require_secret("token")}}
    """

    endpoint: Input[str]
    """Base url, with or without `/fapi` (docs/contract.md#node-endpoint). User and password in it make it a
    secret; without them it is shown in messages and in the output `endpoint`."""


class _ReceiverOptions(TypedDict, total=False):
    tls: Input[Tls]
    """Only with an `https:` url."""
    answers: Input[ReceiverAnswers]
    """How the receiver answers, where its answers are not those of the contract. Default: what is unambiguous."""
    timeoutMs: Input[int]
    """Milliseconds for one request and its answer. Default: 10 000."""
    deadlineMs: Input[int]
    """Milliseconds for one operation: its requests, repeats, pauses and checks. Default: 60 000."""
    maxTries: Input[int]
    """How often one request is sent at most. Default: 5."""
    retryPauseMs: Input[int]
    """Milliseconds of the longest pause after the first try; doubled after each further one. Default: 300."""
    maxRetryPauseMs: Input[int]
    """Milliseconds above which such a pause does not grow. Default: 10 000."""


class Receiver(_ReceiverOptions):
    """A signaling receiver, written in the program instead of named in the configuration
    (docs/contract.md#signaling-operations).
    """

    url: Input[str]
    """Base url of the signaling API, without client id and secret (`{signal_url}` of the contract)."""
    clientId: Input[str]
    """Id of the client, a part of each request's path."""
    secretKey: Input[str]
    """A secret."""


ListFormat = Literal["json", "ndjson", "lines", "csv"]
"""How lists are written."""

Columns = Mapping[str, Input[str | int]]
"""Where a member stands in a row: a name in the head line, or a number from 0."""


class Verdict(TypedDict):
    """A member of an answer, with dots, and the values that say so. Case of texts does not matter."""

    member: Input[str]
    values: Input[Sequence[Input[str | int | bool]]]


Absent = Verdict | Mapping[str, Input[int | str]]
"""How a node says that a set is not there: `status`, `member` and `values`, or `text`."""


class Answers(TypedDict, total=False):
    """How a node answers. An answer that is not understood is an error that names the setting with which it is read."""

    format: Input[ListFormat | Mapping[str, Input[ListFormat]]]
    """How lists are written. `lines`: an element a line, fields between blanks; `csv`: fields between commas,
    semicolons or tabs, quoted as in RFC 4180. Blank lines and comments are left out, an error line is an error.
    Default: `"json"`."""
    columns: Input[Columns | Mapping[str, Input[Columns]]]
    """What the fields of a row mean, in `lines`, `csv` and elements that are JSON arrays. Default: a head line, if
    there is one."""
    path: Input[str | Mapping[str, Input[str]]]
    """Where the list is in an answer, dotted (`"result.items"`): for every kind of list, or for those that are named. A
    number chooses an element of an array; `{arena}`, `{profile}` and `{set}` stand for the names of what is listed."""
    names: Input[Mapping[str, Input[str]]]
    """The node's own names of members. Case does not matter. A record without the named member is read by natural
    names; only `prefixLength` must be there, and `"/"` says that lengths stand behind a slash and nowhere else."""
    empty: Input[Literal["{}", ""]]
    """What stands for an empty list: `"{}"` an empty object, `""` also an answer without a body. Default: neither."""
    success: Input[Verdict | Mapping[str, Input[Verdict]]]
    """What says that a request was carried out, whatever else the answer holds. Other values of the member say that it
    failed."""
    failure: Input[Verdict | Mapping[str, Input[Verdict]]]
    """What says that a request failed. Without `success`, other values of the member say that it was carried out."""
    absent: Input[Absent]
    """How this node says that a set is not there, which `absentSet: "empty"` reads as an empty one. Default: the status
    404."""
    more: Input[Mapping[str, Input[str]]]
    """Where this node tells that a list goes on. Default: the usual members and headers."""
    read: Input[str]
    """A module of one's own, for what no setting describes: its default export is called with the text of an answer and
    the kind of the list, and returns a list in the contract's shape. Relative to the program; to the file that names
    it, where that is one of `--settings` or a forwarder's configuration; else to the working folder."""


class ReceiverAnswers(TypedDict, total=False):
    """How a receiver answers, where its answers are not those of the contract."""

    format: Input[ListFormat]
    """How a status is written: `lines` and `csv` are a prefix a line. Default: `"json"`."""
    path: Input[str]
    """Where the object with the prefixes, or their list, is in a status, dotted."""
    name: Input[str]
    """What the member with the prefixes is called. Case does not matter. Default: `IP_prefix`."""
    empty: Input[Literal["{}", "", 404]]
    """What says that nothing is active: `"{}"` an empty object, `""` also no body, `404` also that status. Default:
    none."""
    success: Input[Verdict | Mapping[str, Input[Verdict]]]
    """What says that a request was carried out. Other values of the member say that it failed."""
    failure: Input[Verdict | Mapping[str, Input[Verdict]]]
    """What says that a request failed."""


class Entry(TypedDict, total=False):
    """What an entry of a set can say beside its value."""

    value: Input[int]
    """Integer from 0 to 2³²−1 that rules can compare with; default 1 (docs/contract.md#set-entries)."""
    reason: Input[str]
    """Why the entry exists."""
    ticket: Input[str]
    """Reference into another system, for example `INC-4711`."""
    expires: Input[str]
    """ISO 8601 time with zone, after which the entry is no longer wanted."""
    sent: Input[Mapping[str, Input[int]]]
    """What a prefix file remembers of `block --now`: address of the node and url of the set to the value that it put
    there; default: none. Once the entry has expired, an `up` removes it there even if none has seen it before."""


class ShortestPrefix(TypedDict, total=False):
    """The shortest lengths that entries may have."""

    ipv4: Input[int]
    ipv6: Input[int]


Entries = Input[Sequence[Input[str]] | Mapping[str, Input[int | Entry]]]
"""Prefixes alone, each with the value 1, or prefixes with values."""


class GroupNode(TypedDict, total=False):
    """What is different at one node of a group."""

    entries: Entries
    """Entries of this node alone: of a prefix that the group declares, too, these count. Default: none."""
    exclusive: Input[bool]
    """For this node instead of the group's, see `exclusive`."""
    maxRemovals: Input[int | str]
    """For this node, a number or percent; default: the group's; see `maxRemovals`."""
    onExisting: Input[Literal["fail", "adopt"]]
    """For this node instead of the group's, see `onExisting`."""


GroupNodes = Input[Sequence[Input[str]] | Mapping[str, Input[GroupNode]]]
"""Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is different there."""


class PrefixSet(pulumi.CustomResource):
    """What `prefix_set` returns."""

    notes: Output[dict[str, str] | None]
    """Canonical prefix to reason, ticket and expiry as JSON text; only entries that have one of them."""
    url: Output[str]
    """The set's url, for example `prefixset://edge/blocked`."""
    count: Output[int]
    """How many entries of the set this resource keeps; with `exclusive: false` the set may hold others."""
    endpoint: Output[str]
    """The node's address in use, without secrets."""


class PrefixSetGroup(pulumi.CustomResource):
    """What `prefix_set_group` returns."""

    notes: Output[dict[str, str] | None]
    """Canonical prefix to reason, ticket and expiry as JSON text; only entries that have one of them."""
    url: Output[str]
    """The set's url, for example `prefixset://edge/blocked`."""
    count: Output[int]
    """How many entries the group declares, not times the nodes."""
    endpoints: Output[dict[str, str]]
    """Name of a node to its address in use, without secrets; a node that was never written is not there."""
    differs: Output[dict[str, dict[str, int | None]] | None]
    """Where a node does not hold what it should: its name to prefix to the value that it holds, `null` for an entry
    that it lacks."""


class PrefixSetEntry(pulumi.CustomResource):
    """What `prefix_set_entry` returns."""

    prefix: Output[str]
    """Canonical: RFC 5952, with the length written out."""
    url: Output[str]
    """The url of the set."""
    endpoint: Output[str]
    """The node's address in use, without secrets."""


class CloudSignaling(pulumi.CustomResource):
    """What `cloud_signaling` returns."""

    prefixes: Output[list[str]]
    """Canonical and in order."""
    started: Output[list[str]]
    """Those that this resource started."""
    endpoint: Output[str]
    """The receiver's address in use, without client id and secret."""


def prefix_set(
    name: str,
    *,
    arena: Input[str],
    set: Input[str],
    entries: Entries,
    profile: Input[str] | None = None,
    exclusive: Input[bool] | None = None,
    on_existing: Input[Literal["fail", "adopt"]] | None = None,
    on_destroy: Input[Literal["clear", "keep"]] | None = None,
    host_bits: Input[Literal["reject", "mask"]] | None = None,
    forbidden_prefixes: Input[Sequence[Input[str]]] | None = None,
    required_prefixes: Input[Sequence[Input[str]]] | None = None,
    shortest_prefix: Input[ShortestPrefix] | None = None,
    max_entries: Input[int] | None = None,
    max_removals: Input[int | str] | None = None,
    max_changes: Input[int | str] | None = None,
    allow_empty: Input[bool] | None = None,
    node: Input[str | Node] | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> PrefixSet:
    """A whole prefix-set of a node: create, update and delete become inserts, deletes and one commit, refresh lists.
    The id is the set's url. Arena, profile, set and the name of the node replace the resource, everything else is
    updated.

    >>> blocked = prefix_set(
    ...     "blocked",
    ...     arena="edge",
    ...     set="blocked",
    ...     entries={"192.0.2.0/24": 1, "203.0.113.7/32": {"value": 2, "reason": "SYN flood"}},
    ... )

    Args:
        name: The resource's name in the stack.
        arena: Arena that the set belongs to.
        set: Name of the set, which exists on the node: sets are not created through the API.
        entries: What the set holds.
        profile: Profile of a local set; without it the set is global (docs/contract.md#resource-addresses).
        exclusive: `True` (default): entries that are not declared are drift. `False`: only declared entries are
            managed.
        on_existing: What create does with entries that it would remove or change: `"fail"` (default) or `"adopt"`.
        on_destroy: On destroy: `"clear"` (default) removes what is managed, `"keep"` leaves it.
        host_bits: `"reject"` (default): `192.0.2.1/24` fails with the corrected value. `"mask"`: it is corrected.
        forbidden_prefixes: No entry may overlap one of these, in either direction of containment.
        required_prefixes: Each of these must be covered by an entry.
        shortest_prefix: Shorter prefixes fail; default `{ ipv4: 1, ipv6: 1 }`, which keeps the default route out.
        max_entries: More entries fail; no default.
        max_removals: More removals at once fail: a number, or percent of what the state holds; default `"50%"`. 20 are
            always allowed. The environment variable `PACKETFILTER_ALLOW_REMOVALS=<url>` lifts the limit for one run.
        max_changes: More entries that get another value at once fail: a number, or percent of what the state holds; no
            default. 20 are always allowed. The environment variable `PACKETFILTER_ALLOW_CHANGES=<url>` lifts the limit
            for one run.
        allow_empty: A set that had entries may become empty; default `False`.
        node: Default: the node of the configuration or of the environment.
        opts: Options of the resource; `import_` cannot work.

    Raises:
        pulumi.RunError: for None inside an argument, which could leave out an entry that is blocked today, and for
            `import_`.
    """
    given = {
        "arena": arena,
        "set": set,
        "entries": entries,
        "profile": profile,
        "exclusive": exclusive,
        "onExisting": on_existing,
        "onDestroy": on_destroy,
        "hostBits": host_bits,
        "forbiddenPrefixes": forbidden_prefixes,
        "requiredPrefixes": required_prefixes,
        "shortestPrefix": shortest_prefix,
        "maxEntries": max_entries,
        "maxRemovals": max_removals,
        "maxChanges": max_changes,
        "allowEmpty": allow_empty,
        "node": node,
    }
    return PrefixSet(*_registration("PrefixSet", name, given, ("notes", "url", "count", "endpoint"), opts))


def prefix_set_group(
    name: str,
    *,
    arena: Input[str],
    set: Input[str],
    entries: Entries,
    nodes: GroupNodes,
    profile: Input[str] | None = None,
    exclusive: Input[bool] | None = None,
    on_existing: Input[Literal["fail", "adopt"]] | None = None,
    on_destroy: Input[Literal["clear", "keep"]] | None = None,
    host_bits: Input[Literal["reject", "mask"]] | None = None,
    forbidden_prefixes: Input[Sequence[Input[str]]] | None = None,
    required_prefixes: Input[Sequence[Input[str]]] | None = None,
    shortest_prefix: Input[ShortestPrefix] | None = None,
    max_entries: Input[int] | None = None,
    max_removals: Input[int | str] | None = None,
    max_changes: Input[int | str] | None = None,
    allow_empty: Input[bool] | None = None,
    at_once: Input[int] | None = None,
    max_unreachable: Input[int | str] | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> PrefixSetGroup:
    """One set that is kept equal on many nodes, as one resource: the state holds the entries once, and only what
    differs by node and prefix. One changed entry is one line of a preview, however many nodes there are; drift is lines
    of its node. A node that fails is named and is in `differs`, the others are done, and the next `up` goes on with it
    alone.

    The id is the set's url. Arena, profile and set replace the resource, everything else is updated: nodes that join
    are filled, nodes that leave are cleared, and a node under another name at the same address is the same.

    >>> blocked = prefix_set_group(
    ...     "blocked",
    ...     arena="edge",
    ...     set="blocked",
    ...     entries=["192.0.2.0/24"],
    ...     nodes={"fra1": {}, "fra2": {}, "ams1": {"entries": {"203.0.113.9": 2}}},
    ... )

    Args:
        name: The resource's name in the stack.
        arena: Arena that the set belongs to.
        set: Name of the set, which exists on the node: sets are not created through the API.
        entries: What the set holds.
        nodes: Names of nodes in the stack's configuration (`packetfilter:nodes`), alone or each with what is
            different there; at least one.
        profile: Profile of a local set; without it the set is global (docs/contract.md#resource-addresses).
        exclusive: `True` (default): entries that are not declared are drift. `False`: only declared entries are
            managed.
        on_existing: What create does with entries that it would remove or change: `"fail"` (default) or `"adopt"`.
        on_destroy: On destroy: `"clear"` (default) removes what is managed, `"keep"` leaves it.
        host_bits: `"reject"` (default): `192.0.2.1/24` fails with the corrected value. `"mask"`: it is corrected.
        forbidden_prefixes: No entry may overlap one of these, in either direction of containment.
        required_prefixes: Each of these must be covered by an entry.
        shortest_prefix: Shorter prefixes fail; default `{ ipv4: 1, ipv6: 1 }`, which keeps the default route out.
        max_entries: More entries fail; no default.
        max_removals: More removals at once fail: a number, or percent of what the state holds; default `"50%"`. 20 are
            always allowed. The environment variable `PACKETFILTER_ALLOW_REMOVALS=<url>` lifts the limit for one run.
        max_changes: More entries that get another value at once fail: a number, or percent of what the state holds; no
            default. 20 are always allowed. The environment variable `PACKETFILTER_ALLOW_CHANGES=<url>` lifts the limit
            for one run.
        allow_empty: A set that had entries may become empty; default `False`.
        at_once: So many nodes are changed at a time; default 16.
        max_unreachable: So many nodes, a number or percent of the group's, may not answer: an `up` leaves them as
            they are with a warning, the next one goes on there, and a refresh keeps their state; more fail. Default 0.
        opts: Options of the resource; `import_` cannot work.

    Raises:
        pulumi.RunError: for None inside an argument, which could leave out an entry that is blocked today, and for
            `import_`.
    """
    given = {
        "arena": arena,
        "set": set,
        "entries": entries,
        "nodes": nodes,
        "profile": profile,
        "exclusive": exclusive,
        "onExisting": on_existing,
        "onDestroy": on_destroy,
        "hostBits": host_bits,
        "forbiddenPrefixes": forbidden_prefixes,
        "requiredPrefixes": required_prefixes,
        "shortestPrefix": shortest_prefix,
        "maxEntries": max_entries,
        "maxRemovals": max_removals,
        "maxChanges": max_changes,
        "allowEmpty": allow_empty,
        "atOnce": at_once,
        "maxUnreachable": max_unreachable,
    }
    outputs = ("notes", "url", "count", "endpoints", "differs")
    return PrefixSetGroup(*_registration("PrefixSetGroup", name, given, outputs, opts))


def prefix_set_entry(
    name: str,
    *,
    arena: Input[str],
    set: Input[str],
    prefix: Input[str],
    profile: Input[str] | None = None,
    value: Input[int] | None = None,
    reason: Input[str] | None = None,
    ticket: Input[str] | None = None,
    expires: Input[str] | None = None,
    sent: Input[Mapping[str, Input[int]]] | None = None,
    on_existing: Input[Literal["fail", "adopt"]] | None = None,
    on_destroy: Input[Literal["remove", "keep", "created"]] | None = None,
    host_bits: Input[Literal["reject", "mask"]] | None = None,
    forbidden_prefixes: Input[Sequence[Input[str]]] | None = None,
    shortest_prefix: Input[ShortestPrefix] | None = None,
    node: Input[str | Node] | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> PrefixSetEntry:
    """One entry of a set that others also write to. Entries that are created together are sent and committed together.
    The id is `<url>#<prefix>`. Arena, profile, set, prefix and the name of the node replace the resource.

    >>> prefix_set_entry("scanner", arena="edge", set="partners", prefix="203.0.113.4", value=7)

    Args:
        name: The resource's name in the stack.
        arena: Arena that the set belongs to.
        set: Name of the set, which exists on the node.
        prefix: The prefix or address.
        profile: Profile of a local set; without it the set is global (docs/contract.md#resource-addresses).
        value: Integer from 0 to 2³²−1; default 1.
        reason: Why the entry exists; never sent.
        ticket: Reference into another system; never sent.
        expires: ISO 8601 time with zone, after which the entry is no longer wanted and the next `up` removes it.
        sent: What a prefix file remembers of `block --now`: address of the node and url of the set to the value put
            there; default: none.
        on_existing: What create does when the set holds the prefix with another value: `"fail"` (default) or `"adopt"`.
        on_destroy: On destroy: `"remove"` (default), `"keep"`, or `"created"`: removed unless the set held it before
            this resource did.
        host_bits: `"reject"` (default): `192.0.2.1/24` fails with the corrected value. `"mask"`: it is corrected.
        forbidden_prefixes: The prefix may not overlap one of these, in either direction of containment.
        shortest_prefix: Shorter prefixes fail; default `{ ipv4: 1, ipv6: 1 }`, which keeps the default route out.
        node: Default: the node of the configuration or of the environment.
        opts: Options of the resource; `import_` cannot work.

    Raises:
        pulumi.RunError: for None inside an argument, and for `import_`.
    """
    given = {
        "arena": arena,
        "set": set,
        "prefix": prefix,
        "profile": profile,
        "value": value,
        "reason": reason,
        "ticket": ticket,
        "expires": expires,
        "sent": sent,
        "onExisting": on_existing,
        "onDestroy": on_destroy,
        "hostBits": host_bits,
        "forbiddenPrefixes": forbidden_prefixes,
        "shortestPrefix": shortest_prefix,
        "node": node,
    }
    return PrefixSetEntry(*_registration("PrefixSetEntry", name, given, ("url", "endpoint"), opts))


def cloud_signaling(
    name: str,
    *,
    prefixes: Input[Sequence[Input[str]]],
    stops: Input[Literal["started", "all", "none"]] | None = None,
    reason: Input[str] | None = None,
    ticket: Input[str] | None = None,
    host_bits: Input[Literal["reject", "mask"]] | None = None,
    receiver: Input[str | Receiver] | None = None,
    opts: pulumi.ResourceOptions | None = None,
) -> CloudSignaling:
    """Moves recipient prefixes to the profile that holds rules, for as long as the resource exists
    (docs/contract.md#signaling-states).
    What is active already is adopted; a changed list starts new prefixes first and stops the removed ones last.

    >>> cloud_signaling("attack-4711", prefixes=["198.51.100.7"], reason="UDP flood")

    Args:
        name: The resource's name in the stack.
        prefixes: Recipient prefixes to protect; at least one.
        stops: What a destroy, or a shorter list, stops: `"started"` (default) only what this resource started, `"all"`,
            or `"none"`. A receiver does not tell who started what: with `"started"` that is stopped, too, which another
            client stopped and started again in between.
        reason: Why; never sent.
        ticket: Reference into another system; never sent.
        host_bits: `"reject"` (default): `198.51.100.7/24` fails with the corrected value. `"mask"`: it is corrected.
        receiver: Default: the receiver of the configuration or of the environment.
        opts: Options of the resource; `import_` cannot work.

    Raises:
        pulumi.RunError: for None inside an argument, and for `import_`.
    """
    given = {
        "prefixes": prefixes,
        "stops": stops,
        "reason": reason,
        "ticket": ticket,
        "hostBits": host_bits,
        "receiver": receiver,
    }
    return CloudSignaling(*_registration("CloudSignaling", name, given, ("started", "endpoint"), opts))


def _registration(
    kind: str,
    name: str,
    given: dict[str, Any],
    outputs: Sequence[str],
    opts: pulumi.ResourceOptions | None,
) -> tuple[str, str, dict[str, Any], pulumi.ResourceOptions | None]:
    """The arguments of `pulumi.CustomResource`. Outputs are named, too, or the program could not read them."""
    label = f'{kind} "{name}"'
    if opts is not None and opts.import_ is not None:
        raise pulumi.RunError(
            f'{label}: the option "import_" cannot work with dynamic resources. Let "pulumi-packetfilter import" write '
            'the file that "pulumi import --file … --generate-code=false" takes.'
        )
    props = {
        key: _present(f"{label}: {key}", value)
        for key, value in given.items()
        if value is not None or key in _REQUIRED
    }
    for connection in ("node", "receiver"):
        if connection in props:
            props[connection] = _later(props[connection], _with_secrets)
    return _TYPE_TOKEN % kind, name, {**dict.fromkeys(outputs), **props, "__provider": _PROVIDER_TEXT % kind}, opts


def _present(path: str, value: Any, is_late: bool = False) -> Any:
    """The value, in which nothing may be None: it could vanish on the way, and with it an entry that is blocked."""
    if value is None:
        raise pulumi.RunError(f"{path} is None: give it a value, or leave it out.")
    if isinstance(value, Output) or inspect.isawaitable(value):
        return _later(value, lambda known: _present(path, known, True))
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value).items()
        return {key: _present(f"{path}[{_shown(key, is_late)}]", member, is_late) for key, member in members}
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = cast("Sequence[object]", value)
        return [_present(f"{path}[{index}]", item, is_late) for index, item in enumerate(items)]
    return value


def _shown(key: str, is_late: bool) -> str:
    """A key in a message; what comes later may be a secret."""
    return "…" if is_late else f'"{key}"'


def _later(value: Any, change: Callable[[Any], Any]) -> Any:
    """The changed value, at once where it is known. A secret stays one."""
    if isinstance(value, Output) or inspect.isawaitable(value):
        return Output.from_input(cast("Input[Any]", value)).apply(change)
    return change(value)


def _with_secrets(connection: Any) -> Any:
    """A connection as it goes into the state: headers, keys, and an address with a user, are secrets."""
    if not isinstance(connection, dict):
        return connection
    parts = dict(cast("dict[str, Any]", connection))
    for key in ("headers", "secretKey"):
        if key in parts:
            parts[key] = Output.secret(parts[key])
    for key in ("endpoint", "url"):
        if key in parts:
            parts[key] = _later(parts[key], lambda address: Output.secret(address) if "@" in str(address) else address)
    if "tls" in parts:
        parts["tls"] = _later(parts["tls"], _with_secret_key)
    return parts


def _with_secret_key(tls: Any) -> Any:
    if not isinstance(tls, dict):
        return tls
    parts = cast("dict[str, Any]", tls)
    return {**parts, "key": Output.secret(parts["key"])} if "key" in parts else parts
