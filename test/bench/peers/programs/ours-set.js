const pf = require("pulumi-packetfilter");
const { entries, set } = require("./wanted.json");

new pf.PrefixSet("set", { arena: "edge", set, entries });
