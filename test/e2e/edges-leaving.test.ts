import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet } from "./support/world";

const LOCAL = "prefixset://edge/web/blocked";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

it("after a rotation of credentials a refresh says why it fails; a profile that is gone is no obstacle to leaving it", async () => {
  const edge = { sets: { blocked: {} }, profiles: { web: { sets: { blocked: {} } } } };
  const node = await startEmulator({ state: { arenas: { edge } }, auth: { bearer: "old-token" } });
  await using stack = await TestStack.create({
    program: `${blockedSet(["192.0.2.0/24"])}
      new pf.PrefixSet("web", { arena: "edge", profile: "web", set: "blocked", entries: ["203.0.113.0/24"] });`,
    config: { endpoint: node.endpoint },
    secrets: { headers: JSON.stringify({ authorization: "Bearer old-token" }) },
  });
  await stack.must("up", "--yes", "--skip-preview");
  expect(node.prefixSet(LOCAL).applied).toEqual({ "203.0.113.0/24": 1 });

  // The node comes back with another token, and without the profile.
  const port = Number(new URL(node.endpoint).port);
  await node.close();
  await using young = await startEmulator({
    port,
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    auth: { bearer: "new-token" },
  });
  const headers = JSON.stringify({ authorization: "Bearer new-token" });
  await stack.must("config", "set", "--secret", "packetfilter:headers", headers, "--stack", "test");
  await stack.program(blockedSet(["192.0.2.0/24"]));
  const refused = await stack.preview("--refresh", "--expect-no-changes");
  expect(refused.code).not.toBe(0);
  expect(oneLine(refused.text)).toContain(
    'use the configuration of the last "pulumi up": where the credentials were changed since, run a plain "pulumi up" first, or the same command with --run-program.',
  );

  const left = await stack.up("--skip-preview");
  expect(left.code, left.text).toBe(0);
  expect(oneLine(left.text)).toContain(
    `Set ${LOCAL} on ${young.endpoint} is not there any more (the node lists the profiles of edge, and web is not among them)`,
  );
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code, gate.text).toBe(0);
  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(young.prefixSet(BLOCKED).applied).toEqual({});
});
