import { expect, it } from "vitest";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { startVictoriaLogs } from "../forwarder/support/servers";
import { Reader } from "./support/reader";
import { BLOCKED } from "./support/world";

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
