const { HandMadeEntry } = require("./by-hand");
const { entries, endpoint, url } = require("./wanted.json");

for (const [prefix, value] of Object.entries(entries)) new HandMadeEntry(prefix, { endpoint, url, prefix, value });
