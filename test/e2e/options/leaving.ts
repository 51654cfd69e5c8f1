import { expect } from "vitest";
import { resource } from "../support/front-ends";
import { since } from "../support/world";
import { DESTROY, entry, held, journey, set, signaling, start, UP } from "./journey";

const LEAVING = [
  ...["deletedWith", "retainOnDelete", "protect"],
  ...["--exclude-protected", "--ignore-protect", "state protect", "state unprotect"],
];

journey("leaving", LEAVING, async (frontEnd) => {
  const program = (entries: string[]) => [
    set("set", entries, { protect: true }),
    entry("site", "203.0.113.99"),
    entry("with", "203.0.113.2", { deletedWith: resource("site") }),
    signaling(["198.51.100.7"], { deletedWith: resource("site") }),
  ];
  await using w = await start(frontEnd);
  const { emulator, stack } = w;
  await w.declare([
    ...program(["192.0.2.0/25", "192.0.2.128/25"]),
    entry("kept", "203.0.113.1", { retainOnDelete: true }),
  ]);
  const first = await stack.must(...UP);
  // The engine does not tell a plugin of it.
  const warned = [
    /PrefixSetEntry "with": where it is deleted together .* its entries stay on the node/,
    /CloudSignaling "attack": where it .* its prefixes stay active at the receiver/,
  ].map((words) => words.test(first.text));
  expect(warned).toEqual([frontEnd === "dynamic", frontEnd === "dynamic"]);

  // What is retained leaves the state only, and a protected set loses entries as the program says.
  let sent = since(emulator);
  await w.declare(program(["192.0.2.0/25"]));
  const left = await stack.must(...UP);
  expect(left.stdout).toMatch(/kept deleted.*\[retain\]/);
  expect(sent()).toEqual(["delete 1", "commit"]);
  const partners = { "203.0.113.1/32": 1, "203.0.113.2/32": 1, "203.0.113.99/32": 1 };
  const active = ["198.51.100.7/32"];
  expect(held(emulator)).toEqual({ blocked: { "192.0.2.0/25": 1 }, partners, active });

  // The engine says "deleted" of what is deleted with another resource, and does not ask the provider.
  sent = since(emulator);
  const rest = await stack.must(...DESTROY, "--exclude-protected");
  expect(rest.stdout).toMatch(/with deleted/);
  expect(sent()).toEqual(["delete 1", "commit"]);
  const { "203.0.113.99/32": _, ...stayed } = partners;
  expect(held(emulator)).toEqual({ blocked: { "192.0.2.0/25": 1 }, partners: stayed, active });
  expect(Object.keys(await stack.state())).toEqual(["set"]);

  sent = since(emulator);
  await stack.must("state", "unprotect", w.urn("PrefixSet", "set"), "--yes");
  await stack.must("state", "protect", w.urn("PrefixSet", "set"), "--yes");
  const refused = await stack.mustFail("destroy", "--yes", "--skip-preview");
  expect(refused.text).toMatch(/set" cannot be deleted\s+because it is protected/);
  expect(sent()).toEqual([]);
  await stack.must(...DESTROY, "--ignore-protect");
  expect(sent()).toEqual(["delete 1", "commit"]);
  expect(held(emulator)).toEqual({ blocked: {}, partners: stayed, active });
});
