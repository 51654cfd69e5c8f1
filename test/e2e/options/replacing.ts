import { expect } from "vitest";
import { type Declared, type FrontEnd, resource } from "../support/front-ends";
import { since } from "../support/world";
import { butCommits, DESTROY, entry, held, journey, set, signaling, start, UP } from "./journey";

const REPLACING = [
  ...["deleteBeforeReplace", "replaceOnChanges", "replacementTrigger", "replaceWith"],
  ...["--replace", "--target-replace", "state taint", "state untaint"],
];

/** A resource of another kind that is deleted before it is replaced and then has the same address, and an entry with that address. */
const server = (size: number) => `
  const provider = {
    create: async (inputs) => ({ id: "server-" + inputs.size, outs: { ...inputs, address: "203.0.113.8" } }),
    diff: async (id, { size }, news) =>
      size === news.size ? { changes: false } : { changes: true, replaces: ["size"], deleteBeforeReplace: true },
  };
  class Server extends pulumi.dynamic.Resource {
    constructor(name, args) { super(provider, name, args); }
  }
  const server = new Server("server", { size: ${size}, address: undefined });
  new pf.PrefixSetEntry("of-server", { arena: "edge", set: "partners", prefix: server.address });
`;

/** Facts that differ: YAML lacks two options, and a plugin cannot keep the engine from deleting first. */
const OF: Readonly<
  Record<FrontEnd, { readonly replaced: number; readonly all: number; readonly isFollowed: boolean }>
> = {
  dynamic: { replaced: 6, all: 11, isFollowed: false },
  YAML: { replaced: 3, all: 10, isFollowed: true },
  Python: { replaced: 5, all: 10, isFollowed: true },
};

journey("replacing", REPLACING, async (frontEnd) => {
  const first = { place: { set: "blocked", onDestroy: "created" }, value: 7, trigger: 1, own: "203.0.113.4" };
  const second = {
    place: { profile: "web", set: "blocked", onDestroy: "created" },
    value: 8,
    trigger: 2,
    own: "203.0.113.5",
  };
  const has = (options: object) => (frontEnd === "YAML" ? undefined : options);
  const inPlugin = <T>(given: T) => (frontEnd === "dynamic" ? undefined : given);
  const provider = (): Declared => ({ name: "own", type: "Provider", args: { endpoint: emulator.endpoint } });
  const program = ({ place, value, trigger, own }: typeof first | typeof second): Declared[] => [
    ...(inPlugin([provider()]) ?? []),
    set("set", ["192.0.2.0/24"], { deleteBeforeReplace: true }, place),
    entry("changed", "203.0.113.1", { replaceOnChanges: ["*"] }, { value }),
    entry("cause", "203.0.113.2", has({ replacementTrigger: trigger })),
    entry("with", "203.0.113.3", has({ replaceWith: [resource("cause")] })),
    entry("first", own, { deleteBeforeReplace: true }),
    entry(
      "of-first",
      "203.0.113.6",
      { deleteBeforeReplace: true },
      { set: resource("first", "set"), onDestroy: "created" },
    ),
    entry("created", "203.0.113.7", inPlugin({ provider: resource("own") }), { onDestroy: "created" }),
    signaling(["198.51.100.7"], { deleteBeforeReplace: true }),
  ];
  const declare = (round: typeof first | typeof second) =>
    w.declare(program(round), frontEnd === "dynamic" ? server(round.trigger) : "");
  await using w = await start(frontEnd);
  const { emulator, stack, urn } = w;
  const { replaced, all, isFollowed } = OF[frontEnd];
  const web = () => emulator.prefixSet("prefixset://edge/web/blocked").applied;
  await declare(first);
  await stack.must(...UP);
  const others = Object.fromEntries([2, 3, 6, 7].map((host) => [`203.0.113.${host}/32`, 1]));
  const ofServer = frontEnd === "dynamic" ? { "203.0.113.8/32": 1 } : {};
  const partners = { ...others, ...ofServer, "203.0.113.1/32": 7, "203.0.113.4/32": 1 };
  const active = ["198.51.100.7/32"];
  expect(held(emulator)).toEqual({ blocked: { "192.0.2.0/24": 1 }, partners, active });

  const begin = emulator.journal.length;
  await declare(second);
  const run = await stack.must(...UP);
  expect(/PrefixSet "set": the option "deleteBeforeReplace" is not followed/.test(run.text)).toBe(!isFollowed);
  expect(run.stdout).toMatch(`${replaced} replaced`);
  const commits = emulator.journal.slice(begin).flatMap(({ commit, url = "" }) => (commit ? [{ url, ...commit }] : []));
  const places = commits.filter(({ url }) => !url.includes("partners")).map(({ url, removed }) => [url, removed]);
  const moved = [
    ["prefixset://edge/web/blocked", {}],
    ["prefixset://edge/blocked", { "192.0.2.0/24": 1 }],
  ];
  expect(places).toEqual(isFollowed ? moved.toReversed() : moved);
  const ofPartners = commits.filter(({ url }) => url.includes("partners"));
  expect(ofPartners.flatMap(({ removed }) => Object.keys(removed))).toEqual(["203.0.113.4/32"]);
  expect(web()).toEqual({ "192.0.2.0/24": 1 });
  const later = { ...others, ...ofServer, "203.0.113.1/32": 8, "203.0.113.5/32": 1 };
  const after = { blocked: {}, partners: later, active };
  expect(held(emulator)).toEqual(after);

  // Whatever replaces a resource that stays where it is sends nothing but commits, and with --refresh it stays the owner.
  const sent = since(emulator);
  for (const name of ["changed", "cause"]) await stack.must("state", "taint", urn("PrefixSetEntry", name), "--yes");
  await stack.must("state", "untaint", urn("PrefixSetEntry", "cause"), "--yes");
  const providers = inPlugin(["--replace", "urn:pulumi:test::journey::pulumi:providers:packetfilter::own"]) ?? [];
  const tainted = await stack.must(...UP, "--refresh", "--replace", urn("PrefixSet", "set"), ...providers);
  expect(tainted.stdout).toMatch(providers.length > 0 ? /3 replaced/ : /2 replaced/);
  // This replaces the engine's default provider as well: the old one's process deletes, and saw no check.
  const everything = await stack.must(...UP, "--refresh", "--replace", "**");
  expect(everything.stdout).toMatch(`${all} replaced`);
  const own = async () => {
    const { attack, created, "of-first": ofFirst, set } = await stack.state();
    return [attack?.outputs.started, ...[created, ofFirst, set].map((resource) => resource?.outputs.existed)];
  };
  expect(await own()).toEqual([active, undefined, undefined, undefined]);

  // Without it the engine shows no state before the create: what is there counts as another's, unless the delete came first.
  const entries = ["created", "of-first"].map((name) => urn("PrefixSetEntry", name));
  const targets = [urn("CloudSignaling", "attack"), ...entries, urn("PrefixSet", "set")];
  const four = await stack.must(...UP, ...targets.flatMap((target) => ["--target-replace", target]));
  expect(four.stdout).toMatch(/4 replaced/);
  expect(four.text).toMatch(/198\.51\.100\.7\/32 stays active, since another resource/);
  expect(butCommits(sent())).toEqual([]);
  expect([web(), held(emulator)]).toEqual([{ "192.0.2.0/24": 1 }, after]);
  expect(await own()).toEqual(isFollowed ? [active, true, undefined, undefined] : [[], true, true, ["192.0.2.0/24"]]);

  // A provider that is deleted first takes its resources along.
  const provided = [{ ...provider(), options: { deleteBeforeReplace: true } }, ...program(second).slice(1)];
  await w.declare([...provided, entry("provided", "203.0.113.9", { provider: resource("own") })]);
  if (isFollowed) await stack.must(...UP);
  const gone = since(emulator);
  if (isFollowed) await stack.must(...UP, ...providers);
  expect(butCommits(gone())).toEqual(isFollowed ? ["delete 1", "insert 1"] : []);
  await stack.must(...DESTROY);
  const found = { "203.0.113.7/32": 1 };
  expect([web(), held(emulator)]).toEqual(
    isFollowed
      ? [{}, { blocked: {}, partners: found, active: [] }]
      : [{ "192.0.2.0/24": 1 }, { blocked: {}, partners: { ...found, "203.0.113.6/32": 1 }, active }],
  );
});
