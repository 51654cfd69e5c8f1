const pulumi = require("@pulumi/pulumi");
const pf = require("pulumi-packetfilter");
const { entries, set } = require("./wanted.json");

const provider = new pf.Provider("site", { endpoint: new pulumi.Config("packetfilter").require("endpoint") });
new pf.PrefixSet("set", { arena: "edge", set, entries }, { provider });
