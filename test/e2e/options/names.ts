import { expect } from "vitest";
import { since, world } from "../support/world";
import { bare, butCommits, DESTROY, held, journey, UP, urn } from "./journey";

const NAMES = ["parent", "aliases", "state rename", "state move", "state remove", "state get", "state repair"];

journey(
  "names",
  NAMES,
  async () => {
    const site = `
    class Site extends pulumi.ComponentResource {
      constructor(name) { super("test:index:Site", name); this.registerOutputs({}); }
    }
    const site = new Site("site");
  `;
    const set = (name: string) =>
      `new pf.PrefixSet("${name}", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] });\n`;
    const entry = (options = "") =>
      `new pf.PrefixSetEntry("entry", { arena: "edge", set: "partners", prefix: "203.0.113.1" }, { ${options} });\n`;
    const signaling = (options = "") =>
      `new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] }, { ${options} });\n`;
    await using w = await world({ program: site + set("blocked") + entry() + signaling() });
    const { emulator, stack } = w;
    await stack.must(...UP);
    const full = { blocked: { "192.0.2.0/24": 1 }, partners: { "203.0.113.1/32": 1 }, active: ["198.51.100.7/32"] };
    const sent = since(emulator);

    // Under another parent without an alias it is another resource: created, then deleted, and what is wanted stays.
    const moved = `${site}${set("blocked")}${entry("parent: site")}`;
    await stack.program(moved + signaling("parent: site, aliases: [{ parent: pulumi.rootStackResource }]"));
    const parent = await stack.must(...UP);
    expect(parent.text).toMatch(/203\.0\.113\.1\/32 stays, since another resource of this stack declares it/);
    expect(parent.stdout).toMatch(/\+ 1 created\s+- 1 deleted/);
    expect(butCommits(sent())).toEqual([]);
    expect((await stack.state()).attack?.outputs).toMatchObject({ started: ["198.51.100.7/32"] });

    // A rename in state and program is no change; what left the state is found, and taken over; what moved belongs to the other stack.
    const [entryUrn = ""] = (await stack.must("stack", "--show-urns")).stdout.match(/urn:\S+::entry\b/) ?? [];
    expect((await stack.must("state", "get", urn("PrefixSet", "blocked"))).stdout).toContain(
      "prefixset://edge/blocked",
    );
    expect((await stack.must("state", "repair", "--yes")).code).toBe(0);
    await stack.must("state", "rename", urn("PrefixSet", "blocked"), "main", "--yes");
    await stack.must("state", "remove", entryUrn, "--yes");
    await bare(stack, "stack", "init", "other", "--no-select");
    const [attack = ""] = (await stack.must("stack", "--show-urns")).stdout.match(/urn:\S+::attack\b/) ?? [];
    await bare(stack, "state", "move", "--source", "test", "--dest", "other", attack, "--yes");
    await stack.program(site + set("main") + entry("parent: site"));
    const renamed = await stack.must(...UP);
    expect(renamed.text).toMatch(/203\.0\.113\.1\/32 was already there with this value/);
    expect(renamed.stdout).toMatch(/\+ 1 created/);
    expect(butCommits(sent())).toEqual([]);
    expect(held(emulator)).toEqual(full);
    await stack.must(...DESTROY);
    expect(held(emulator)).toEqual({ blocked: {}, partners: {}, active: full.active });
  },
  ["dynamic"],
);
