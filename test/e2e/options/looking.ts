import { expect } from "vitest";
import { BLOCKED, blockedSet, since, world } from "../support/world";
import { DESTROY, held, journey, UP, urn } from "./journey";

const LOOKING = [
  ...["ignoreChanges", "--refresh", "--preview-only", "--expect-no-changes", "--run-program", "--skip-preview"],
  ...["--config", "--config-path", "--remove", "pulumi refresh"],
];

journey("looking", LOOKING, async () => {
  const [A, B, C, FOREIGN] = ["192.0.2.0/25", "192.0.2.128/25", "198.51.100.0/24", "203.0.113.9/32"];
  const frozen = (value: number) =>
    `new pf.PrefixSetEntry("frozen", { arena: "edge", set: "partners", prefix: "203.0.113.1", value: ${value} },
      { ignoreChanges: ["value"] });`;
  await using w = await world({ program: blockedSet([A]) + frozen(1) });
  const { emulator, stack } = w;
  await stack.must(...UP);
  emulator.change(BLOCKED, { insert: { [FOREIGN]: 1 } });
  const partners = { "203.0.113.1/32": 1 };
  const drifted = { blocked: { [A]: 1, [FOREIGN]: 1 }, partners, active: [] };

  // What others put there stays until an `up --refresh`, whatever `ignoreChanges` hides; a refresh alone removes nothing.
  let sent = since(emulator);
  await stack.program(blockedSet([A]) + frozen(2));
  await stack.must(...UP);
  const preview = await stack.must("refresh", "--preview-only");
  expect(preview.stdout).toMatch(/~ 1 to update/);
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code).not.toBe(0);
  expect(gate.text).toContain(FOREIGN);
  expect(sent()).toEqual([]);
  expect(held(emulator)).toEqual(drifted);
  await stack.must("refresh", "--yes", "--skip-preview");
  expect(sent()).toEqual([]);
  expect((await stack.state()).blocked?.outputs.entries).toEqual(drifted.blocked);
  emulator.change(BLOCKED, { insert: { "203.0.113.10/32": 1 } });
  await stack.must(...UP, "--refresh");
  expect(held(emulator)).toEqual({ ...drifted, blocked: { [A]: 1 } });

  // With `up` the flag is judged when everything is done.
  await stack.program(blockedSet([A, B]) + frozen(2));
  const changed = await stack.up("--skip-preview", "--expect-no-changes");
  expect(changed.code).not.toBe(0);
  expect(changed.text).toMatch(/no changes were expected/);
  expect(held(emulator)).toEqual({ ...drifted, blocked: { [A]: 1, [B]: 1 } });

  // What `--config` says stays in the stack's file; `destroy` knows only what the last `up` knew, unless the program runs.
  await stack.program(blockedSet([A, B, C]) + frozen(2));
  const limited = await stack.up("--skip-preview", "--config-path", "--config", "packetfilter:maxEntries=2");
  expect(limited.code).not.toBe(0);
  expect(limited.text).toMatch(/maxEntries/);
  expect(await stack.read("Pulumi.test.yaml")).toContain('packetfilter:maxEntries: "2"');
  await stack.must("config", "set", "packetfilter:readOnly", "true");
  await stack.must(...DESTROY, "--target", urn("PrefixSetEntry", "frozen"));
  expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: {}, active: [] });
  sent = since(emulator);
  const readOnly = await stack.destroy("--run-program");
  expect(readOnly.code).not.toBe(0);
  expect(readOnly.text).toMatch(/this stack is read-only/);
  expect(sent()).toEqual([]);
  await stack.must("config", "rm", "packetfilter:readOnly");
  await stack.must(...DESTROY, "--run-program", "--remove");
  expect(held(emulator)).toEqual({ blocked: {}, partners: {}, active: [] });
});
