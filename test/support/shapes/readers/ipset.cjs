const fields = {
  prefixset: (line) => (line.startsWith("add ") ? [{ p: line.split(" ")[2] }] : []),
  profiles: (name) => [{ name }],
  rules: (line) => [{ id: Number(line.split(" ")[0]), name: line.split(" ")[1] }],
  marks: (line) => {
    const [a, id, v, t] = line.split(" ");
    return [{ a, id: Number(id), v: Number(v), t: Number(t) }];
  },
};

exports.default = (body, kind) => {
  if (body.startsWith("ERROR")) throw new Error(body.trim());
  return body.split("\n").flatMap((line) => (line === "" ? [] : fields[kind](line)));
};
