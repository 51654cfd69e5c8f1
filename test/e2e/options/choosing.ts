import { expect } from "vitest";
import { resource } from "../support/front-ends";
import { since } from "../support/world";
import { entry, held, journey, set as prefixSet, signaling, start, UP } from "./journey";

const CHOOSING = [
  ...["dependsOn", "--target", "--target-dependents", "--exclude", "--exclude-dependents"],
  ...["--continue-on-error", "--parallel"],
];

journey("choosing", CHOOSING, async (frontEnd) => {
  const program = (entries: string[], value: number, active = "198.51.100.7") => [
    prefixSet("set", entries),
    entry("one", "203.0.113.1", { dependsOn: [resource("set")] }, { value }),
    entry("two", "203.0.113.2", { dependsOn: [resource("set")] }, { value }),
    signaling([active]),
  ];
  const [A, B] = ["192.0.2.0/25", "192.0.2.128/25"];
  const partners = (one: number, two = one) => ({ "203.0.113.1/32": one, "203.0.113.2/32": two });
  await using w = await start(frontEnd);
  const { emulator, stack } = w;
  const [set, one] = [w.urn("PrefixSet", "set"), w.urn("PrefixSetEntry", "one")];
  await w.declare(program([A, B], 1));
  let sent = since(emulator);
  // One at a time each entry is a commit of its own, and none is before what it depends on.
  await stack.must(...UP, "--parallel", "1");
  const order = sent().filter((request) => request !== "start 1");
  expect(order).toEqual(["insert 2", "commit", "insert 1", "commit", "insert 1", "commit"]);
  const active = ["198.51.100.7/32"];

  // What is not chosen stays as it is, although the program says otherwise.
  await w.declare(program([A], 2));
  await stack.must(...UP, "--target", one);
  expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: partners(2, 1), active });
  sent = since(emulator);
  await stack.must(...UP, "--exclude", set, "--exclude-dependents");
  expect(sent()).toEqual([]);
  await stack.must(...UP, "--exclude", set);
  expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: partners(2), active });
  await w.declare(program([A], 3));
  await stack.must(...UP, "--target", set, "--target-dependents");
  expect(held(emulator)).toEqual({ blocked: { [A]: 1 }, partners: partners(3), active });

  // One that fails keeps those that depend on it back, and no other.
  emulator.fail({ cmd: "insert", url: "prefixset://edge/blocked", status: 400, times: 9 });
  await w.declare(program([A, "198.51.100.0/24"], 4, "198.51.100.8"));
  await stack.mustFail("up", "--yes", "--skip-preview", "--continue-on-error");
  expect(held(emulator)).toEqual({ blocked: { [A]: 1 }, partners: partners(3), active: ["198.51.100.8/32"] });
  emulator.clearFaults();

  // A destroy of a set takes along what depends on it, or refuses.
  sent = since(emulator);
  const refused = await stack.mustFail("destroy", "--yes", "--skip-preview", "--target", set);
  expect(refused.text).toMatch(/will be destroyed but was not specified in --target list/);
  expect(sent()).toEqual([]);
  await stack.must("destroy", "--yes", "--skip-preview", "--target", set, "--target-dependents");
  expect(held(emulator)).toEqual({ blocked: {}, partners: {}, active: ["198.51.100.8/32"] });
});
