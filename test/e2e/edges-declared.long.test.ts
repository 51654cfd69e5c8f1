import { expect, it } from "vitest";
import { BLOCKED, since, world } from "./support/world";

it("ignoreChanges leaves an entry in whatever spelling, and says what it keeps of a drifted set", async () => {
  const program = (entries: object, ignored: string, set = "blocked") =>
    `new pf.PrefixSet("blocked", { arena: "edge", set: "${set}", entries: ${JSON.stringify(entries)} }, { ignoreChanges: [${JSON.stringify(ignored)}] });`;
  const HOST = 'entries["203.0.113.7"]';
  await using w = await world({ program: program({ "203.0.113.7": 1, "192.0.2.0/24": 1 }, HOST) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");

  // The state has the spelling of the program, by which the engine goes.
  await stack.program(program({ "203.0.113.7": 5, "192.0.2.0/24": { value: 2, reason: "scans" } }, HOST));
  const changed = await stack.must("up", "--yes", "--skip-preview");
  expect(changed.text).not.toMatch(/lacks|holds (another|other) value/);
  const held = { "192.0.2.0/24": 2, "203.0.113.7/32": 1 };
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(held);

  // Drift in a set that is ignored as a whole is taken over, and said.
  await stack.program(program({ "192.0.2.0/24": 9 }, "entries"));
  const foreign = { ...held, "198.51.100.9/32": 3 };
  emulator.change(BLOCKED, { insert: { "198.51.100.9/32": 3 } });
  const sent = since(emulator);
  const preview = await stack.preview("--refresh");
  const up = await stack.up("--refresh", "--skip-preview");
  for (const { code, text } of [preview, up]) {
    expect(code, text).toBe(0);
    expect(text).not.toMatch(/up (removes|changes)/);
    expect(text).toMatch(/found 1 entry that the last up did not write: 198\.51\.100\.9\/32\./);
    expect(text).toMatch(
      /up keeps 1 entry as found, since the program ignores changes of entries.*198\.51\.100\.9\/32\./,
    );
  }
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(foreign);
  const { blocked } = await stack.state();
  expect(blocked?.inputs.entries).toEqual({
    "192.0.2.0/24": { value: 2, reason: "scans" },
    "198.51.100.9/32": 3,
    "203.0.113.7": 1,
  });
  expect(blocked?.inputs).not.toHaveProperty("__said");

  await stack.program(program({ "192.0.2.0/24": 9 }, "entries[0]"));
  const refused = await stack.mustFail("preview");
  expect(refused.text).toMatch(/PrefixSet "blocked": ignoreChanges entries\[0\]: entries have no lasting positions/);
});
