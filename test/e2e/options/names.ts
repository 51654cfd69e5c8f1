import { expect } from "vitest";
import { resource } from "../support/front-ends";
import { since } from "../support/world";
import { bare, butCommits, DESTROY, entry, held, journey, set, signaling, start, UP } from "./journey";

const NAMES = ["parent", "aliases", "state rename", "state move", "state remove", "state get", "state repair"];

journey("names", NAMES, async (frontEnd) => {
  const site = entry("site", "203.0.113.9");
  const blocked = (name: string) => set(name, ["192.0.2.0/24"]);
  const below = { parent: resource("site") };
  await using w = await start(frontEnd);
  const { emulator, stack } = w;
  await w.declare([site, blocked("blocked"), entry("entry", "203.0.113.1"), signaling(["198.51.100.7"])]);
  await stack.must(...UP);
  const partners = { "203.0.113.1/32": 1, "203.0.113.9/32": 1 };
  const full = { blocked: { "192.0.2.0/24": 1 }, partners, active: ["198.51.100.7/32"] };
  const sent = since(emulator);

  // Under another parent without an alias it is another resource: created, then deleted, and what is wanted stays.
  const aliased = signaling(["198.51.100.7"], { ...below, aliases: [w.urn("CloudSignaling", "attack")] });
  await w.declare([site, blocked("blocked"), entry("entry", "203.0.113.1", below), aliased]);
  const parent = await stack.must(...UP);
  expect(parent.text).toMatch(
    /203\.0\.113\.1\/32 stays, since another resource of this stack declares or has adopted it/,
  );
  expect(parent.stdout).toMatch(/\+ 1 created\s+- 1 deleted/);
  expect(butCommits(sent())).toEqual([]);
  expect((await stack.state()).attack?.outputs).toMatchObject({ started: ["198.51.100.7/32"] });

  // A rename in state and program is no change; what left the state is found, and taken over; what moved belongs to the other stack.
  const [entryUrn = ""] = (await stack.must("stack", "--show-urns")).stdout.match(/urn:\S+::entry\b/) ?? [];
  const got = await stack.must("state", "get", w.urn("PrefixSet", "blocked"));
  expect(got.stdout).toContain("prefixset://edge/blocked");
  expect((await stack.must("state", "repair", "--yes")).code).toBe(0);
  await stack.must("state", "rename", w.urn("PrefixSet", "blocked"), "main", "--yes");
  await stack.must("state", "remove", entryUrn, "--yes");
  await bare(stack, "stack", "init", "other", "--no-select");
  const [attack = ""] = (await stack.must("stack", "--show-urns")).stdout.match(/urn:\S+::attack\b/) ?? [];
  await bare(stack, "state", "move", "--source", "test", "--dest", "other", attack, "--yes");
  await w.declare([site, blocked("main"), entry("entry", "203.0.113.1", below)]);
  const renamed = await stack.must(...UP);
  expect(renamed.text).toMatch(/already there as declared, before this resource: 203\.0\.113\.1\/32/);
  expect(renamed.stdout).toMatch(/\+ 1 created/);
  expect(butCommits(sent())).toEqual([]);
  expect(held(emulator)).toEqual(full);
  await stack.must(...DESTROY);
  expect(held(emulator)).toEqual({ blocked: {}, partners: {}, active: full.active });
});
