const pulumi = require("@pulumi/pulumi");
const pf = require("pulumi-packetfilter");
const { entries, set } = require("./wanted.json");

const provider = new pf.Provider("site", { endpoint: new pulumi.Config("packetfilter").require("endpoint") });
for (const [prefix, value] of Object.entries(entries)) {
  new pf.PrefixSetEntry(prefix, { arena: "edge", set, prefix, value }, { provider });
}
