import { expect } from "vitest";
import { since, world } from "../support/world";
import { butCommits, held, journey, UP, urn } from "./journey";

const REPLACING = [
  ...["deleteBeforeReplace", "replaceOnChanges", "replacementTrigger", "replaceWith"],
  ...["--replace", "--target-replace", "state taint", "state untaint"],
];

/** A resource of another kind that is deleted before it is replaced, and then has the same address. */
const SERVER = `
  const provider = {
    create: async (inputs) => ({ id: "server-" + inputs.size, outs: { ...inputs, address: "203.0.113.4" } }),
    diff: async (id, { size }, news) =>
      size === news.size ? { changes: false } : { changes: true, replaces: ["size"], deleteBeforeReplace: true },
  };
  class Server extends pulumi.dynamic.Resource {
    constructor(name, args) { super(provider, name, args); }
  }
`;

journey(
  "replacing",
  REPLACING,
  async () => {
    const program = (round: { place: string; value: number; trigger: number }) => `
    new pf.PrefixSet("set", { arena: "edge", ${round.place}, entries: ["192.0.2.0/24"] }, { deleteBeforeReplace: true });
    new pf.PrefixSetEntry("changed", { arena: "edge", set: "partners", prefix: "203.0.113.1", value: ${round.value} },
      { replaceOnChanges: ["*"] });
    const cause = new pf.PrefixSetEntry("cause", { arena: "edge", set: "partners", prefix: "203.0.113.2" },
      { replacementTrigger: ${round.trigger} });
    new pf.PrefixSetEntry("with", { arena: "edge", set: "partners", prefix: "203.0.113.3" }, { replaceWith: [cause] });
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] }, { deleteBeforeReplace: true });
    ${SERVER}
    const server = new Server("server", { size: ${round.trigger}, address: undefined });
    new pf.PrefixSetEntry("of-server", { arena: "edge", set: "partners", prefix: server.address });
  `;
    const first = { place: 'set: "blocked"', value: 7, trigger: 1 };
    const second = { place: 'profile: "web", set: "blocked"', value: 8, trigger: 2 };
    await using w = await world({ program: program(first) });
    const { emulator, stack } = w;
    const web = () => emulator.prefixSet("prefixset://edge/web/blocked").applied;
    await stack.must(...UP);
    const partners = { "203.0.113.1/32": 7, "203.0.113.2/32": 1, "203.0.113.3/32": 1, "203.0.113.4/32": 1 };
    const active = ["198.51.100.7/32"];
    expect(held(emulator)).toEqual({ blocked: { "192.0.2.0/24": 1 }, partners, active });

    const start = emulator.journal.length;
    await stack.program(program(second));
    const replaced = await stack.must(...UP);
    expect(replaced.text).toMatch(/PrefixSet "set": the option "deleteBeforeReplace" is not followed/);
    expect(replaced.stdout).toMatch(/5 replaced/);
    const commits = emulator.journal.slice(start).flatMap(({ commit, url }) => (commit ? [{ url, ...commit }] : []));
    const places = commits.filter(({ url }) => !url?.includes("partners")).map(({ url, removed }) => [url, removed]);
    expect(places).toEqual([
      ["prefixset://edge/web/blocked", {}],
      ["prefixset://edge/blocked", { "192.0.2.0/24": 1 }],
    ]);
    expect(
      commits.filter(({ url }) => url?.includes("partners")).flatMap(({ removed }) => Object.keys(removed)),
    ).toEqual([]);
    expect(web()).toEqual({ "192.0.2.0/24": 1 });
    const after = { blocked: {}, partners: { ...partners, "203.0.113.1/32": 8 }, active };
    expect(held(emulator)).toEqual(after);

    // Whatever replaces a resource that stays where it is sends nothing but commits.
    const sent = since(emulator);
    for (const name of ["changed", "cause"]) await stack.must("state", "taint", urn("PrefixSetEntry", name), "--yes");
    await stack.must("state", "untaint", urn("PrefixSetEntry", "cause"), "--yes");
    const tainted = await stack.must(...UP, "--replace", urn("PrefixSet", "set"));
    expect(tainted.stdout).toMatch(/2 replaced/);
    const one = await stack.must(...UP, "--target-replace", urn("CloudSignaling", "attack"));
    expect(one.stdout).toMatch(/1 replaced/);
    expect(one.text).toMatch(/198\.51\.100\.7\/32 stays active, since another resource/);
    // This replaces the engine's default provider as well: the old one's process deletes, and saw no check.
    const everything = await stack.must(...UP, "--replace", "**");
    expect(everything.stdout).toMatch(/8 replaced/);
    expect(butCommits(sent())).toEqual([]);
    expect([web(), held(emulator)]).toEqual([{ "192.0.2.0/24": 1 }, after]);
  },
  ["dynamic"],
);
