const pf = require("pulumi-packetfilter");
const { entries, set } = require("./wanted.json");

for (const [prefix, value] of Object.entries(entries)) {
  new pf.PrefixSetEntry(prefix, { arena: "edge", set, prefix, value });
}
