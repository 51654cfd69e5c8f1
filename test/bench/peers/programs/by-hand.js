// What a careful user writes in an afternoon without this package: two dynamic providers on the global fetch. They do what the contract
// says and stop at the first error. A set is compared entry by entry, so a change sends only what changed, and a refresh reads what
// the node holds. Not there: retries, a look at whether a commit took effect, one commit for several resources, other spellings of a
// prefix, what others staged, rails against mistakes.
const pulumi = require("@pulumi/pulumi");

/** One command to the node, and what it answers. */
async function send(endpoint, command) {
  const answer = await fetch(`${endpoint}/fapi`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(command),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${command.cmd} of ${command.url} failed with ${answer.status}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** What the node holds, as `{ prefix: value }`. */
async function list(endpoint, url) {
  const { data } = await send(endpoint, { url, cmd: "list" });
  return Object.fromEntries(data.map(({ p, v }) => [p, v]));
}

/** Makes `wanted` of `held`, `perRequest` entries at a time, and commits once. */
async function write({ endpoint, url, perRequest }, held, wanted) {
  const inserts = Object.keys(wanted).filter((p) => held[p] !== wanted[p]);
  const deletes = Object.keys(held).filter((p) => !(p in wanted));
  for (let at = 0; at < inserts.length; at += perRequest) {
    const data = inserts.slice(at, at + perRequest).map((p) => ({ p, v: wanted[p] }));
    await send(endpoint, { url, cmd: "insert", data });
  }
  for (let at = 0; at < deletes.length; at += perRequest) {
    const data = deletes.slice(at, at + perRequest).map((a) => ({ a }));
    await send(endpoint, { url, cmd: "delete", data });
  }
  await send(endpoint, { url, cmd: "commit" });
}

const setProvider = {
  async create(inputs) {
    await write(inputs, {}, inputs.entries);
    return { id: inputs.url, outs: inputs };
  },
  async read(id, state) {
    return { id, props: { ...state, entries: await list(state.endpoint, state.url) } };
  },
  async diff(_id, olds, news) {
    const prefixes = new Set([...Object.keys(olds.entries), ...Object.keys(news.entries)]);
    const changes = [...prefixes].some((p) => olds.entries[p] !== news.entries[p]);
    const replaces = olds.url === news.url ? [] : ["url"];
    return { changes: changes || replaces.length > 0, replaces };
  },
  async update(_id, olds, news) {
    await write(news, olds.entries, news.entries);
    return { outs: news };
  },
  async delete(_id, state) {
    await write(state, state.entries, {});
  },
};

/** A whole set: `{ endpoint, url, entries, perRequest }`. */
exports.HandMadeSet = class extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(setProvider, name, args);
  }
};

/** Inserts and commits one entry. */
async function put({ endpoint, url, prefix, value }) {
  await send(endpoint, { url, cmd: "insert", data: [{ p: prefix, v: value }] });
  await send(endpoint, { url, cmd: "commit" });
}

const entryProvider = {
  async create(inputs) {
    await put(inputs);
    return { id: `${inputs.url}#${inputs.prefix}`, outs: inputs };
  },
  async read(id, state) {
    const value = (await list(state.endpoint, state.url))[state.prefix];
    return value === undefined ? { id: "" } : { id, props: { ...state, value } };
  },
  async diff(_id, olds, news) {
    const replaces = ["url", "prefix"].filter((key) => olds[key] !== news[key]);
    return { changes: olds.value !== news.value || replaces.length > 0, replaces };
  },
  async update(_id, _olds, news) {
    await put(news);
    return { outs: news };
  },
  async delete(_id, { endpoint, url, prefix }) {
    await send(endpoint, { url, cmd: "delete", data: [{ a: prefix }] });
    await send(endpoint, { url, cmd: "commit" });
  },
};

/** One entry: `{ endpoint, url, prefix, value }`. */
exports.HandMadeEntry = class extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(entryProvider, name, args);
  }
};
