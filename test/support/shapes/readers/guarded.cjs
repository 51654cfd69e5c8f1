exports.default = (body) => JSON.parse(body.slice(body.indexOf("\n"))).data;
