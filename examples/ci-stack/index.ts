import { join } from "node:path";
import * as pf from "pulumi-packetfilter";

// What is blocked, in a file that reviewers read and "pulumi-packetfilter block" writes.
const entries = pf.readPrefixFile(join(__dirname, "blocked.yaml"));

new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries });

new pf.PrefixSet("partners", { arena: "edge", set: "partners", entries: ["203.0.113.192/26"] });
