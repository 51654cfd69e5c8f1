import { expect } from "vitest";
import { BLOCKED, since } from "../support/world";
import { DESTROY, entry, held, journey, set, start, UP } from "./journey";

const LOOKING = [
  ...["ignoreChanges", "--refresh", "--preview-only", "--expect-no-changes", "--run-program", "--skip-preview"],
  ...["--config", "--config-path", "--remove", "pulumi refresh"],
];

journey("looking", LOOKING, async (frontEnd) => {
  const [A, B, C, FOREIGN] = ["192.0.2.0/25", "192.0.2.128/25", "198.51.100.0/24", "203.0.113.9/32"];
  const program = (entries: string[], value: number) => [
    set("blocked", entries),
    entry("frozen", "203.0.113.1", { ignoreChanges: ["value"] }, { value }),
  ];
  await using w = await start(frontEnd);
  const { emulator, stack } = w;
  await w.declare(program([A], 1));
  await stack.must(...UP);
  emulator.change(BLOCKED, { insert: { [FOREIGN]: 1 } });
  const partners = { "203.0.113.1/32": 1 };
  const drifted = { blocked: { [A]: 1, [FOREIGN]: 1 }, partners, active: [] };

  // What others put there stays until an `up --refresh`, whatever `ignoreChanges` hides; a refresh alone removes nothing.
  let sent = since(emulator);
  await w.declare(program([A], 2));
  await stack.must(...UP);
  const preview = await stack.must("refresh", "--preview-only");
  expect(preview.stdout).toMatch(/~ 1 to update/);
  const gate = await stack.mustFail("preview", "--refresh", "--expect-no-changes");
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
  await w.declare(program([A, B], 2));
  const changed = await stack.mustFail("up", "--yes", "--skip-preview", "--expect-no-changes");
  expect(changed.text).toMatch(/no changes were expected/);
  expect(held(emulator)).toEqual({ ...drifted, blocked: { [A]: 1, [B]: 1 } });

  // What `--config` says stays in the stack's file; `destroy` knows only what the last `up` knew, unless the program runs.
  await w.declare(program([A, B, C], 2));
  const limited = await stack.mustFail(
    "up",
    "--yes",
    "--skip-preview",
    "--config-path",
    "--config",
    "packetfilter:maxEntries=2",
  );
  expect(limited.text).toMatch(/maxEntries/);
  expect(await stack.read("Pulumi.test.yaml")).toContain('packetfilter:maxEntries: "2"');
  await stack.must("config", "set", "packetfilter:readOnly", "true");
  await stack.must(...DESTROY, "--target", w.urn("PrefixSetEntry", "frozen"));
  expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: {}, active: [] });
  sent = since(emulator);
  const readOnly = await stack.mustFail("destroy", "--yes", "--skip-preview", "--run-program");
  expect(readOnly.text).toMatch(/this stack is read-only/);
  expect(sent()).toEqual([]);
  await stack.must("config", "rm", "packetfilter:readOnly");
  await stack.must(...DESTROY, "--run-program", "--remove");
  expect(held(emulator)).toEqual({ blocked: {}, partners: {}, active: [] });
});
