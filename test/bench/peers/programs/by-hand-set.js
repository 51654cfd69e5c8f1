const { HandMadeSet } = require("./by-hand");
const { entries, endpoint, url, perRequest } = require("./wanted.json");

new HandMadeSet("set", { endpoint, url, entries, perRequest });
