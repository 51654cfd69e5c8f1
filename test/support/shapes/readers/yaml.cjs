const { parse } = require("yaml");

exports.default = (body) => parse(body);
