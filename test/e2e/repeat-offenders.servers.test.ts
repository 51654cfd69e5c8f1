import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { forwardMarks, marksOf } from "../forwarder/support/offenders";
import { startVictoriaLogs } from "../forwarder/support/servers";
import { Reader } from "./support/reader";
import { TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, since, world } from "./support/world";

it("repeatedly marked sources are blocked; an empty answer fails the update and unblocks none", async () => {
  await using logs = await startVictoriaLogs(new CertificateAuthority("test", Date.now()).issueServer("localhost"));
  await using w = await world({
    program: "",
    language: "typescript",
    config: {
      "journey:victorialogs": logs.url,
      "journey:times": "3",
      "journey:protectedPrefixes": ["198.51.100.0/24"],
    },
  });
  const { emulator, stack } = w;
  const offenders = join(process.cwd(), "examples", "repeat-offenders");
  for (const name of ["index.ts", "offenders.ts"]) await cp(join(offenders, name), join(stack.folder, name));
  {
    await using marked = await startEmulator({ state: marksOf(1, 2) });
    await forwardMarks(marked, logs.url, stack.folder, [[1, 2], [1], [1, 2], [1], [1, 2]]);
  }
  await stack.must("up", "--yes", "--skip-preview");
  stack.environment(TYPES_ARE_CHECKED);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.2/32": 1 });

  const sent = since(emulator);
  await stack.must("config", "set", "journey:times", "99");
  const empty = await stack.up("--skip-preview");
  expect(empty.code).not.toBe(0);
  expect(empty.text).toContain("No source was marked in 99 intervals within 1d: what is blocked stays.");
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.2/32": 1 });
});

it("examples/marks-to-victorialogs and examples/repeat-offenders do what their READMEs say, one after the other", async () => {
  await using logs = await startVictoriaLogs(new CertificateAuthority("test", Date.now()).issueServer("localhost"));
  await using reader = await Reader.of("marks-to-victorialogs");
  reader.standsIn("9428", logs.url);
  const printed = await reader.follow({}, async () => {
    const { applied } = await (await reader.emulatorAt("8080")).prefixSet(BLOCKED);
    expect(applied).toEqual({});
    await reader.at("repeat-offenders").follow({}, async () => {
      const after = await (await reader.emulatorAt("8080")).prefixSet(BLOCKED);
      expect(after.applied).toEqual({ "203.0.113.77/32": 1, "203.0.113.9/32": 1 });
    });
  });
  expect(printed).toMatch(/"address":"203\.0\.113\.9"/);
});
