import { expect, it } from "vitest";
import { run } from "../commands/support";
import { TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, blockedSet, since, world } from "./support/world";

it("what an import protects stays protected by the program that it wrote", async () => {
  await using w = await world({ program: "", language: "typescript", env: TYPES_ARE_CHECKED });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  emulator.change("prefixset://edge/partners", { insert: { "203.0.113.7/32": 2 } });
  const surroundings = { folder: stack.folder, env: { PACKETFILTER_ENDPOINT: emulator.endpoint } };
  const made = await run(["import", BLOCKED, "--out", "sets"], surroundings);
  expect(made.code, made.err).toBe(0);
  const single = await run(["import", "prefixset://edge/partners", "--as", "entries", "--out", "one"], surroundings);
  expect(single.code, single.err).toBe(0);
  await stack.write("index.ts", 'import "./sets";\nimport "./one";\n');
  for (const folder of ["sets", "one"])
    await stack.must("import", "--file", `${stack.folder}/${folder}/import.json`, "--yes", "--generate-code=false");

  const sent = since(emulator);
  await stack.must("up", "--yes", "--skip-preview");
  const destroyed = await stack.destroy();
  expect(destroyed.code).not.toBe(0);
  expect(destroyed.text).toMatch(/cannot be deleted|protected/);
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});

it("ignoreChanges leaves an entry in whatever spelling, and says what it keeps of a drifted set", async () => {
  const program = (entries: object, ignored: string, set = "blocked") =>
    `new pf.PrefixSet("blocked", { arena: "edge", set: "${set}", entries: ${JSON.stringify(entries)} }, { ignoreChanges: [${JSON.stringify(ignored)}] });`;
  const HOST = 'entries["203.0.113.7"]';
  await using w = await world({ program: program({ "203.0.113.7": 1, "192.0.2.0/24": 1 }, HOST) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");

  // The state has the spelling of the program, by which the engine goes.
  await stack.program(program({ "203.0.113.7": 5, "192.0.2.0/24": { value: 2, reason: "scans" } }, HOST));
  const changed = await stack.up("--skip-preview");
  expect(changed.code, changed.text).toBe(0);
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
    expect(text).toMatch(/found 1 entry that the program does not declare with this value: 198\.51\.100\.9\/32\./);
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
  const refused = await stack.preview();
  expect(refused.code).not.toBe(0);
  expect(refused.text).toMatch(/PrefixSet "blocked": ignoreChanges entries\[0\]: entries have no lasting positions/);
});

it("a preview fails where the up would: what a create meets, a value that the node does not take", async () => {
  const program = (more: { adopt?: boolean; value?: number; entry?: boolean }) => {
    const { adopt = false, value = 7, entry = true } = more;
    const onExisting = adopt ? 'onExisting: "adopt", ' : "";
    return `${blockedSet({ "192.0.2.0/24": value }, onExisting)}
      ${entry ? `new pf.PrefixSetEntry("scanner", { ${onExisting}arena: "edge", set: "partners", prefix: "203.0.113.4", value: ${value} });` : ""}`;
  };
  await using w = await world({ program: program({ entry: false }), config: { node: { maxValue: 255 } } });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "198.51.100.9/32": 3 } });
  emulator.change("prefixset://edge/partners", { insert: { "203.0.113.4/32": 5 } });
  const sent = since(emulator);
  const refused = await stack.preview();
  expect(refused.code, refused.text).not.toBe(0);
  expect(refused.text).toMatch(/up would fail\. .*Without this look: packetfilter:detectDrift 'off'/);
  expect(refused.text).toMatch(
    /prefixset:\/\/edge\/blocked .*already holds 1 entry not declared here: 198\.51\.100\.9\/32\./,
  );
  await stack.program(program({}).split("\n").slice(1).join("\n"));
  const taken = await stack.preview();
  expect(taken.code, taken.text).not.toBe(0);
  expect(taken.text).toMatch(/up would fail\. .*partners .*already holds 203\.0\.113\.4\/32 with the value 5, not 7/);

  // The same without a look, and the up that fails then.
  await stack.program(program({}));
  await stack.must("config", "set", "packetfilter:detectDrift", "off", "--stack", "test");
  const blind = await stack.preview();
  expect(blind.code, blind.text).toBe(0);
  const failed = await stack.up("--skip-preview", "--continue-on-error");
  expect(failed.code, failed.text).not.toBe(0);
  expect(failed.text).toMatch(/prefixset:\/\/edge\/blocked .*already holds 1 entry not declared here/);
  await stack.must("config", "rm", "packetfilter:detectDrift", "--stack", "test");

  await stack.program(program({ value: 300 }));
  const tooLarge = await stack.preview();
  expect(tooLarge.code, tooLarge.text).not.toBe(0);
  expect(tooLarge.text).toMatch(/the node takes no value above 255 \(maxValue\): give [\d./]+ a smaller one\./);
  expect(sent()).toEqual([]);

  // A prefix file that cannot be read is a sentence, too.
  await stack.program('pf.readPrefixFile("blocked.txt");');
  const missing = await stack.preview();
  expect(missing.code, missing.text).not.toBe(0);
  expect(missing.text).toMatch(/blocked\.txt:1:1: cannot be read/);
  for (const { text } of [refused, missing]) expect(text).not.toMatch(/\n\s+at .*\.js:\d+/);

  // What is there already is never in the way of a change.
  await stack.program(program({ adopt: true }));
  const adopted = await stack.up();
  expect(adopted.code, adopted.text).toBe(0);
  await stack.program(program({ value: 9 }));
  const changed = await stack.up();
  expect(changed.code, changed.text).toBe(0);
  expect(emulator.prefixSet("prefixset://edge/partners").applied).toEqual({ "203.0.113.4/32": 9 });
});
