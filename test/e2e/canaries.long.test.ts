import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { CANARY, SECRETS } from "./options/secrets";
import { type Declared, declare, FRONT_ENDS, prepare, secret } from "./support/front-ends";
import type { Run } from "./support/stack";
import { BLOCKED, mutations, world } from "./support/world";

/** The event log without what the SDK writes to it for its own debugging: every resource of every provider, in the clear. */
function eventsOf(log: string): string {
  const lines = log.split("\n");
  return lines.filter((line) => !line.includes('"severity":"debug"')).join("\n");
}

it("each secret of the page has its canaries, and each canary is on it", () => {
  expect(Object.values(SECRETS).flat().sort()).toEqual(Object.keys(CANARY).sort());
});

test.each(FRONT_ENDS)(
  "secrets of %s stay hidden in state, previews, events, audit log and messages",
  async (frontEnd) => {
    // The option --event-log is one of the commands for debugging.
    const env = { PULUMI_DEBUG_COMMANDS: "true" };
    await using w = await world({ program: "", config: { auditLog: "audit.ndjson" }, env });
    const { emulator, stack } = w;
    await prepare(frontEnd, stack);
    const [client] = emulator.clients;
    const at = (user: string, url = emulator.endpoint) => url.replace("://", `://admin:${user}@`);
    await stack.must(
      ...["config", "set", "--secret", "packetfilter:nodes", "--stack", "test"],
      JSON.stringify({ named: { endpoint: at(CANARY["password in the configuration"]) } }),
    );
    const blocked = { arena: "edge", set: "blocked", exclusive: false };
    const node = { endpoint: at(CANARY["password of a node"]) };
    const set = (name: string, args: object): Declared => ({ name, type: "PrefixSet", args: { ...blocked, ...args } });
    const program = (step: number): Declared[] => [
      set("notes", {
        node,
        entries: {
          "192.0.2.1": {
            reason: secret(CANARY["reason of an entry"]),
            ticket: secret(CANARY["ticket of an entry"]),
            value: step,
          },
        },
      }),
      set("value", {
        node: "named",
        entries: { "192.0.2.2": { value: secret(Number(CANARY["value of an entry"])) } },
        forbiddenPrefixes: secret([CANARY["forbidden prefix"]]),
      }),
      set("entries", {
        node: { endpoint: secret(at(CANARY["password of an Output"])) },
        entries: secret({
          [CANARY["prefix in secret entries"]]: {
            value: Number(CANARY["value in secret entries"]),
            reason: CANARY["reason in secret entries"],
          },
        }),
      }),
      {
        name: "single",
        type: "PrefixSetEntry",
        args: {
          ...{ arena: "edge", set: "partners", prefix: "192.0.2.4", ticket: `INC-${step}` },
          reason: secret(CANARY["reason of a single entry"]),
          value: secret(Number(CANARY["value of a single entry"])),
        },
      },
      {
        name: "attack",
        type: "CloudSignaling",
        args: {
          prefixes: secret([CANARY["recipient of a signaling"]]),
          ticket: `INC-${step}`,
          reason: secret(CANARY["reason of a signaling"]),
          receiver: {
            clientId: "client-a",
            secretKey: client?.secretKey,
            url: at(CANARY["password of a receiver"], emulator.signalingUrl),
          },
        },
      },
    ];
    /** Declarations that each front end refuses, without the words of the secret. */
    const refusals = [
      set("bits", { set: "partners", entries: secret([CANARY["prefix in secret entries"].replace("0/24", "1/24")]) }),
      set("over", {
        set: "partners",
        entries: ["10.99.31.7"],
        forbiddenPrefixes: secret([CANARY["forbidden prefix"]]),
      }),
      set("address", { set: "partners", entries: secret({ [`https://${CANARY["host in a secret"]}/`]: 1 }) }),
    ];
    // The classes of TypeScript end the program: the secret would stand in the id.
    const single: Declared = {
      name: "named",
      type: "PrefixSetEntry",
      args: { arena: "edge", set: "partners", prefix: secret(CANARY["host in a secret"]) },
    };
    const runs: Run[] = [];
    const run = async (code: number, ...args: string[]) => {
      const result = await stack.pulumi(...args);
      if (code === 0) expect(result.code, result.text).toBe(0);
      else expect(result.code, result.text).not.toBe(0);
      runs.push(result);
      return result;
    };

    // The node holds other values, which previews and failures speak of.
    emulator.change(BLOCKED, { insert: { [CANARY["prefix in secret entries"]]: 5 } });
    await declare(frontEnd, stack, program(1));
    await run(1, "preview", "--diff", "--event-log", join(stack.folder, "preview.ndjson"));
    expect(runs.at(-1)?.text).toContain("holds other values of [secret]");
    await run(1, "up", "--yes", "--skip-preview", "--continue-on-error");
    expect(runs.at(-1)?.text).toMatch(/already holds other values of \[secret\]/);
    emulator.change(BLOCKED, { delete: [CANARY["prefix in secret entries"]] });
    await run(0, "up", "--yes", "--skip-preview", "--diff", "--event-log", join(stack.folder, "up.ndjson"));
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({
      "10.77.31.0/24": 471_131,
      "192.0.2.1/32": 1,
      "192.0.2.2/32": 471_199,
    });
    const sent = mutations(emulator).length;
    await declare(frontEnd, stack, program(2));
    await run(0, "preview", "--json");
    await run(0, "up", "--yes", "--refresh", "--diff");
    expect(mutations(emulator).slice(sent)).toEqual(["insert 1", "commit"]);
    const state = await stack.state();
    // The plugin keeps a connection with a password as a secret, and the classes take the password out of the address.
    if (frontEnd === "dynamic") expect(state.notes?.inputs.node).toMatchObject({ endpoint: `${emulator.endpoint}/` });
    await declare(frontEnd, stack, [...program(2), ...refusals]);
    const refused = await run(1, "preview");
    expect(refused.text).toContain("[secret]");
    await declare(frontEnd, stack, [...program(2), single]);
    expect((await run(1, "preview")).text).toMatch(/prefix is a secret, but stands in the id and the url/);
    const exported = await stack.must("stack", "export");
    await run(0, "destroy", "--yes", "--skip-preview", "-v=9", "--logtostderr");
    const verbose = runs.pop();

    const texts = {
      output: runs.map(({ text }) => text).join("\n"),
      "the end of a verbose run": verbose?.stdout ?? "",
      state: exported.stdout,
      "events of the preview": eventsOf(await stack.read("preview.ndjson")),
      "events of the up": eventsOf(await stack.read("up.ndjson")),
      "audit log": await readFile(join(stack.folder, "audit.ndjson"), "utf8"),
      journal: JSON.stringify(emulator.journal.map(({ headers, url }) => ({ headers, url }))),
    };
    for (const [where, text] of Object.entries(texts)) {
      expect(text.length, where).toBeGreaterThan(100);
      for (const [what, secret] of Object.entries(CANARY))
        expect(text.includes(secret), `${what} in ${where}`).toBe(false);
    }
    for (const password of Object.values(CANARY).filter((text) => text.includes("password"))) {
      expect(texts.state).not.toContain(Buffer.from(`admin:${password}`).toString("base64"));
    }
  },
  240_000,
);
