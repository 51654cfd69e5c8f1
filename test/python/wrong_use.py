"""What a type checker refuses; each line has the code of mypy's error."""

import packetfilter as pf

pf.prefix_set("no entries", arena="edge", set="blocked")  # call-arg
pf.prefix_set("a mode", arena="edge", set="blocked", entries=[], on_existing="adopted")  # arg-type
pf.prefix_set_entry("a value", arena="edge", set="blocked", prefix="192.0.2.0/24", value="7")  # arg-type
pf.prefix_set("a node", arena="edge", set="blocked", entries=[], node={"address": "192.0.2.10"})  # arg-type
pf.prefix_set("a member", arena="edge", set="blocked", entries={"192.0.2.0/24": {"ticked": "INC-4711"}})  # dict-item
pf.cloud_signaling("a name", prefix="198.51.100.7/32")  # call-arg
pf.prefix_set_group("no nodes", arena="edge", set="blocked", entries=[])  # call-arg
pf.prefix_set_group("an override", arena="edge", set="blocked", entries=[], nodes={"fra1": {"atOnce": 1}})  # dict-item
pf.prefix_set("a format", arena="edge", set="blocked", entries=[], node={"endpoint": "", "answers": {"format": "xml"}})  # arg-type
