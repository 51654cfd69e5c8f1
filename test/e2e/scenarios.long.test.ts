import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dnsAmplification, startEmulator } from "../../provider/emulator";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";

/** An attack on one recipient of the profiles below: large DNS answers from a few resolvers. */
const attack = () => dnsAmplification({ to: ["198.51.100.7"], from: ["203.0.113.0/24"], seed: 4711 });
const ANSWERS = { protocol: "udp", sourcePort: 53 } as const;
const PACKETS = 20_000;

describe("an attack", () => {
  it("marks its sources by rule, the program blocks them, and the same traffic is dropped", async () => {
    await using emulator = await startEmulator({
      state: {
        arenas: {
          edge: {
            sets: { blocked: {} },
            profiles: {
              web: {
                prefixes: ["198.51.100.0/24"],
                rules: [
                  { id: 1, name: "blocked", match: [{ set: { name: "blocked" } }], actions: ["drop"] },
                  {
                    id: 70001,
                    name: "dns-answers",
                    match: [ANSWERS],
                    actions: [{ hmark: { add: 1, lifetime: 3600 } }],
                  },
                ],
              },
            },
          },
        },
      },
    });
    expect(await emulator.receiveTraffic(attack(), PACKETS)).toMatchObject({ accepted: PACKETS, dropped: 0 });
    const marks = emulator.marks("profile://edge/web", "shost");
    expect(marks.reduce((sum, { value = 0 }) => sum + value, 0)).toBe(PACKETS);
    const marked = marks.map(({ address }) => `${address}/32`);

    const program = await readFile(join(process.cwd(), "examples", "block-top-sources", "index.ts"), "utf8");
    await using stack = await TestStack.create({
      language: "typescript",
      program: program.replace(/^import \* as .*$/gm, ""),
      config: { endpoint: emulator.endpoint, "journey:ruleId": "70001" },
    });
    await stack.must("up", "--yes", "--skip-preview");
    stack.environment(TYPES_ARE_CHECKED);
    expect(Object.keys(emulator.prefixSet("prefixset://edge/blocked").applied).sort()).toEqual(marked.sort());
    expect(await emulator.receiveTraffic(attack(), PACKETS)).toMatchObject({ accepted: 0, dropped: PACKETS });

    // The marks end, since nothing renews them. That nothing is marked could also be a mistake, so it clears nothing.
    emulator.clock.advance("2h");
    const careful = await stack.mustFail("up", "--yes", "--skip-preview");
    expect(careful.text).toContain("marked no source 100 times that may be blocked: what is blocked stays");
    expect(Object.keys(emulator.prefixSet("prefixset://edge/blocked").applied).sort()).toEqual(marked.sort());

    // With the switch the blocks end with the marks.
    await stack.must("config", "set", "allowEmpty", "true", "--stack", "test");
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({});
  });
});
