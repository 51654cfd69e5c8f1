import pulumi_packetfilter as packetfilter

# What every node blocks is in a file, and the lab gets it first.
packetfilter.PrefixSetGroup(
    "everywhere",
    arena="edge",
    set="blocked",
    entries=packetfilter.read_prefix_file(file="blocks.yaml").entries,
    nodes={"lab1": {}, "fra1": {"entries": {"198.51.100.0/24": 2}}},
    rollout={"waves": {"canary": ["lab1"], "size": "50%"}},
)
