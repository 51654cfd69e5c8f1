import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loadPolicyConfig, rules } from "../policies/index";
import { startEmulator } from "../provider/emulator";
import { readDialect } from "../provider/emulator/behaviour/dialect";
import { Recording } from "../provider/emulator/recording/recording";
import { readStateFile } from "../provider/emulator/state/state-file";
import { LiveConfig } from "../provider/forwarder/config/config";
import { readPrefixFile } from "../provider/prefixes";
import { parseFindings, parsePreview } from "../provider/report";
import { run } from "./commands/support";
import { useFolder } from "./support/folder";

/** A thousand characters of YAML that are 10^12 values. */
const SHARED = `${Array.from(
  { length: 12 },
  (_, level) =>
    `l${level}: &l${level} [${Array(10)
      .fill(level === 0 ? "x" : `*l${level - 1}`)
      .join(", ")}]`,
).join("\n")}\n`;
const DEEP = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
const each = (length: number, make: (n: number) => string) => Array.from({ length }, (_, n) => make(n)).join("\n");
/** A map with more keys than can be compared each with all, of which the last appears twice. */
const WIDE = `${each(40_000, (n) => `k${n}: 1`)}\nk0: 1`;
/** More references than can be sought through all values that stand before each. */
const REFERENCES = each(5_000, (n) => `- &a${n} x\n- *a${n}`);

const folder = useFolder();
beforeAll(async () => {
  await writeFile(join(folder, "shared.yaml"), SHARED);
  await writeFile(join(folder, "deep.yaml"), DEEP);
  await writeFile(join(folder, "deep.json"), DEEP);
  await writeFile(join(folder, "wide.yaml"), WIDE);
  await writeFile(join(folder, "references.yaml"), REFERENCES);
});

const FAILED = /nested (too deeply|deeper than)|nesting exceeded|holds more than|Excessive alias count/;

/** A state is read by another parser, which knows the targets of references by name, and then is none. */
const REFUSED = /has 5000 references \(YAML's aliases\) among|is not valid/;

/** Readers of files, by what they read; each fails with a sentence. */
const READERS: Record<string, (file: string) => unknown> = {
  "a state": readStateFile,
  policies: (file) => loadPolicyConfig(rules, { environment: { PACKETFILTER_POLICIES: file } }),
  "a forwarder's configuration": (file) => LiveConfig.ofFile(file, {}),
  "a prefix file": (file) => readPrefixFile(file),
};

describe.each(Object.entries(READERS))("%s", (_, read) => {
  test.each(["shared.yaml", "deep.yaml"])("%s is refused by name of the limit", async (file) => {
    await expect(async () => read(join(folder, file))).rejects.toThrow(FAILED);
  });

  // Compared or sought through each with all, it would take a minute.
  test("wide.yaml is read once, and its key that appears twice is named", { timeout: 20_000 }, async () => {
    await expect(async () => read(join(folder, "wide.yaml"))).rejects.toThrow(
      /"k0" appears twice|duplicated mapping key/,
    );
  });
  test("references.yaml is refused", { timeout: 20_000 }, async () => {
    await expect(async () => read(join(folder, "references.yaml"))).rejects.toThrow(REFUSED);
  });
});

test("dialects, kept states, recordings, previews and findings are no deeper than data is", async () => {
  await expect(readDialect(join(folder, "deep.json"))).rejects.toThrow(FAILED);
  await expect(startEmulator({ persist: join(folder, "deep.json") })).rejects.toThrow(FAILED);
  await expect(Recording.read(join(folder, "deep.json"))).rejects.toThrow(/is not a recording/);
  expect(() => parsePreview(`{"steps":[],"config":${DEEP}}`)).toThrow(FAILED);
  expect(() => parseFindings(DEEP)).toThrow("Line 1 of the findings is none");
});

const FILES = { "shared.yaml": SHARED, "deep.yaml": DEEP, "wide.yaml": WIDE };
test.each(Object.entries(FILES))("a project of %s keeps no command", { timeout: 20_000 }, async (_, content) => {
  const project = await mkdtemp(join(folder, "project-"));
  await writeFile(join(project, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  await writeFile(join(project, "Pulumi.dev.yaml"), content);
  const args = ["block", "203.0.113.7", "--reason", "flood", "--permanent", "--file", "blocks.yaml"];
  const { code, err } = await run(args, { folder: project });
  expect([code, err]).toEqual([2, expect.stringContaining("Pulumi.dev.yaml: it cannot be read as YAML")]);
});

test("the protocol port refuses bodies that are nested without end, and answers on", async () => {
  await using emulator = await startEmulator();
  const [client] = emulator.clients;
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const insert = (data: string) => `{"url":"prefixset://edge/blocked","cmd":"insert","data":${data}}`;
  const bodies = [DEEP, deep, insert(deep), insert(`[{"p":${DEEP},"v":1}]`), `{"IP_prefix":${deep}}`];
  for (const path of ["/fapi", `/path/${client?.clientId}/${client?.secretKey}/start`])
    for (const body of bodies) {
      const headers = { "content-type": "application/json", "user-arena": "edge" };
      expect((await fetch(`${emulator.endpoint}${path}`, { method: "POST", headers, body })).status).toBe(400);
    }
  expect((await fetch(`${emulator.control}/health`)).status).toBe(200);
});

test("the control API refuses a body that is more than it looks, and answers on", async () => {
  await using emulator = await startEmulator();
  for (const body of [SHARED, DEEP]) {
    const headers = { "content-type": "application/yaml" };
    const answer = await fetch(`${emulator.control}/state`, { method: "PUT", headers, body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(FAILED)]);
  }
  expect((await fetch(`${emulator.control}/health`)).status).toBe(200);
});
