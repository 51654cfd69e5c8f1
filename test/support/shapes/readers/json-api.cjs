exports.default = (body) => JSON.parse(body).data.map(({ attributes }) => attributes);
