const { Nothing } = require("./nothing");
const { entries, set } = require("./wanted.json");

new Nothing("set", { arena: "edge", set, entries });
