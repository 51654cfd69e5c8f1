const { Nothing } = require("./nothing");
const { entries, set } = require("./wanted.json");

for (const [prefix, value] of Object.entries(entries)) new Nothing(prefix, { arena: "edge", set, prefix, value });
