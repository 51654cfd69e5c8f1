import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";
import { TestStack } from "./support/stack";

const before = `
  const reason = pulumi.secret("hidden words");
  new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: {
    "192.0.2.0/25": { value: 1, reason: "scan" }, "192.0.2.130/32": 7, "198.51.100.0/25": 1,
    "203.0.113.0/24": { value: 1, expires: "2099-01-31T18:00:00Z" } } });
  new pf.PrefixSet("gone", { arena: "edge", set: "partners", exclusive: false, entries: ["198.51.100.0/26", "198.51.100.0/28"] });
  new pf.PrefixSet("web", { arena: "edge", profile: "web", set: "blocked", entries: ["192.0.2.0/25"] });
  for (const i of [1, 2]) new pf.PrefixSetEntry("one" + i, { arena: "edge", set: "partners", prefix: "203.0.113." + i, reason });
  new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7", "198.51.100.8"] });`;

const after = `
  const reason = pulumi.secret("other words");
  new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: {
    "192.0.2.0/25": { value: 1, reason: "scan\\n@everyone | <b>" }, "192.0.2.130/32": 8, "192.0.2.192/26": { value: 2, reason: "flood", ticket: "INC-7" },
    "203.0.113.0/24": { value: 1, expires: "2020-01-31T18:00:00Z" } } });
  new pf.PrefixSet("web", { arena: "edge", profile: "app", set: "blocked", entries: ["192.0.2.0/25"] });
  new pf.PrefixSetEntry("one1", { arena: "edge", set: "partners", prefix: "203.0.113.1", value: 4, reason });
  new pf.PrefixSetEntry("one3", { arena: "edge", set: "partners", prefix: "203.0.113.3", reason });
  new pf.CloudSignaling("attack", { prefixes: ["198.51.100.8", "198.51.100.9"] });`;

it("a report counts created, deleted and replaced entries, and the marked sources they cover", async () => {
  const mark = (address: string) => ({ address, id: 7, value: 1, lifetime: 3_600 });
  const sets = { blocked: {} };
  await using emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: {}, partners: {} },
          profiles: {
            web: {
              sets,
              prefixes: ["198.51.100.0/24"],
              marks: { shost: ["192.0.2.200", "192.0.2.201", "203.0.113.9"].map(mark) },
            },
            app: { sets, marks: { shost: ["192.0.2.200", "192.0.2.5"].map(mark) } },
            clean: {},
            protected: {},
          },
        },
      },
    },
    auth: { bearer: "node-words" },
  });
  const [client] = emulator.clients;
  await using stack = await TestStack.create({
    program: before,
    config: { endpoint: emulator.endpoint, signalingUrl: emulator.signalingUrl, clientId: client?.clientId },
    secrets: { secretKey: client?.secretKey ?? "", headers: '{"authorization":"Bearer node-words"}' },
  });
  await stack.must("up", "--yes", "--skip-preview");
  await stack.program(after);
  await stack.write("preview.json", (await stack.must("preview", "--json")).stdout);
  await stack.write("config.json", (await stack.must("config", "--show-secrets", "--json")).stdout);
  const report = async (...args: string[]) => {
    const { code, out, err } = await run(["report", "preview.json", ...args], { folder: stack.folder });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).not.toMatch(/hidden words|other words|node-words|__provider/);
    expect(out).not.toContain(client?.secretKey);
    return out;
  };

  const comment = await report("--marks", "--config", "config.json", "--key", "shop/test");
  const at = emulator.endpoint;
  const lines = comment.split("\n");
  for (const line of [
    "<!-- pulumi-packetfilter report: shop/test -->",
    "2 resources deleted, 1 resource replaced, 3 entries in (193 IPv4 addresses), 6 entries out (512 IPv4 addresses), 2 entries with another value, 1 entry with other notes, 1 signaling started, 1 signaling stopped, in 4 sets on 1 node.",
    `- **Deleted**: PrefixSet \`gone\`, \`prefixset://edge/partners\` at \`${at}\`; 2 entries, 64 IPv4 addresses: goes`,
    `- **Replaced**: PrefixSet \`web\`, \`prefixset://edge/web/blocked\` at \`${at}\`, becomes \`prefixset://edge/app/blocked at ${at}\`, since \`profile\` changes; held 1 entry, 128 IPv4 addresses`,
    `| \`${at}\` | \`prefixset://edge/blocked\` | 1 (64 IPv4 addresses) | 2 (384 IPv4 addresses) | 1 | 1 | \`192.0.2.192/26\` | \`203.0.113.0/24\` \`198.51.100.0/25\` | 2, 1 |`,
    `| \`${at}\` | \`prefixset://edge/app/blocked\` | 1 (128 IPv4 addresses) | 0 | 0 | 0 | \`192.0.2.0/25\` |  | 1, 0 |`,
    "- 4 sources are marked now: 2 covered by what comes in, 1 by what goes out, 0 by what changes its value.",
    "| `192.0.2.192/26` | 2 | `flood` | `INC-7` |  | 2 |",
    "| `203.0.113.0/24` | 1 |  |  | `2020-01-31T18:00:00Z` expired | 1 |",
    "| `192.0.2.130/32` | 7 → 8 |  |  |  | 0 |",
    "| `192.0.2.0/25` | 1 | `scan` → `scan @everyone ¦ <b>` |  |  |",
    `- \`attack\` at \`${emulator.signalingUrl}\`: starts \`198.51.100.9/32\`; stops \`198.51.100.7/32\``,
  ])
    expect(lines, comment).toContain(line);

  // What the preview shows of the configuration has no credentials in it, and none are sent.
  const unasked = await report("--marks", "--output", "text");
  expect(unasked).toMatch(/Marks: Profiles of arena:\/\/edge on .*HTTP 401/);
});
