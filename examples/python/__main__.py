"""Blocks a few networks and signals one attack, as the README's program does in TypeScript."""

import pulumi
import pulumi_packetfilter as packetfilter

# A whole prefix-set is ours: what is not declared here is removed.
blocked = packetfilter.PrefixSet(
    "blocked",
    arena="edge",
    set="blocked",
    entries={
        "192.0.2.0/24": 1,
        "203.0.113.7": {"value": 2, "reason": "SYN flood", "ticket": "INC-4711", "expires": "2099-12-31T00:00:00Z"},
        "2001:db8:bad::/48": 1,
    },
    forbidden_prefixes=["198.51.100.0/24"],
)

# One entry in a set that others also write to.
packetfilter.PrefixSetEntry("scanner", arena="edge", set="partners", prefix="203.0.113.4", value=7)

# These recipients stay in the profile with rules for as long as the resource exists.
packetfilter.CloudSignaling("attack-4711", prefixes=["198.51.100.7"], reason="UDP flood", ticket="INC-4711")

pulumi.export("url", blocked.url)
pulumi.export("held", blocked.count)
pulumi.export("profiles", [profile.name for profile in packetfilter.get_profiles(arena="edge").profiles])
