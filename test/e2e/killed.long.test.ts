import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { KIND } from "./support/kind";
import { isAlive, isChild, providersUnder, until } from "./support/processes";
import { finished, type TestStack } from "./support/stack";
import { BLOCKED, blockedSet, world } from "./support/world";

const LATE = "3s";
/** The folder of a script that starts the provider without `exec`. */
const WITHOUT_EXEC = join(process.cwd(), "tools/pulumi-cli/without-exec");

/** A program with a set, an entry in another set and a signaling. */
const program = (entries: Record<string, number>, value: number, active: string[]) => `
  ${blockedSet(entries)}
  new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: ${value} });
  new pf.CloudSignaling("attack", { prefixes: ${JSON.stringify(active)} });
`;

const held = (emulator: Emulator) => ({
  blocked: emulator.prefixSet(BLOCKED),
  partners: emulator.prefixSet("prefixset://edge/partners").applied,
  active: emulator.signalings["client-a"],
});

/** Content of the node once everything is applied and nothing is staged. */
const settled = (entries: Record<string, number>, value: number, active: string[]) => ({
  blocked: { applied: entries, staged: entries },
  partners: { "203.0.113.4/32": value },
  active: active.map((address) => `${address}/32`),
});

/** True once the engine has written into the state that the signaling is done: what it does not know of, no later run stops. */
function isRecorded({ folder }: TestStack, active: string[]): boolean {
  const { checkpoint } = JSON.parse(readFileSync(join(folder, ".backend/.pulumi/stacks/journey/test.json"), "utf8"));
  const resources: { urn: string; outputs?: { prefixes?: string[] } }[] = checkpoint.latest?.resources ?? [];
  const prefixes = resources.find(({ urn }) => urn.endsWith("::attack"))?.outputs?.prefixes ?? [];
  return prefixes.join() === active.map((address) => `${address}/32`).join();
}

/** Starts an `up`, and comes back with its processes once the slow commit of the set is under way, and entry and signaling are done. */
async function inTheMiddle(stack: TestStack, emulator: Emulator, value: number, active: string[]) {
  const slow = emulator.fail({ cmd: "commit", url: BLOCKED, kind: "slow-commit", delay: LATE });
  const engine = stack.start("up", "--yes", "--skip-preview", "--stack", "test");
  const ended = finished(engine);
  await until("the commit arrives", () => slow.hits > 0, 60_000);
  await until("the entry is applied", () => held(emulator).partners["203.0.113.4/32"] === value);
  await until("the signaling is in the state", () => isRecorded(stack, active));
  const [provider = 0] = providersUnder(engine.pid ?? 0);
  expect(provider).toBeGreaterThan(0);
  return { engine, provider, ended };
}

/** Notes of what killed runs sent: those of runs that ended in order are gone. */
function notes({ folder }: TestStack): string[] {
  const home = join(folder, ".home");
  const [own = ""] = readdirSync(home).filter((name) => name.startsWith("packetfilter-"));
  return readdirSync(join(home, own)).filter((name) => name.startsWith("sent-"));
}

async function converges(stack: TestStack): Promise<void> {
  await stack.must("up", "--yes", "--skip-preview");
  await stack.must("preview", "--refresh", "--expect-no-changes");
}

it("an up that is killed half-way is put right by the next up", async () => {
  await using w = await world({ program: program({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 }, 1, ["198.51.100.7"]) });
  const { emulator, stack } = w;

  // The provider is killed during the very first up.
  const first = await inTheMiddle(stack, emulator, 1, ["198.51.100.7"]);
  process.kill(first.provider, "SIGKILL");
  expect((await first.ended).code).not.toBe(0);
  await converges(stack);
  expect(held(emulator)).toEqual(settled({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 }, 1, ["198.51.100.7"]));

  // The engine is killed during an update: the provider settles what it has in hand, and exits. It is a child of the engine,
  // or of a shell that outlives it, as with a CLI that was downloaded.
  for (const [value, script] of [
    [2, undefined],
    [3, WITHOUT_EXEC],
  ] as const) {
    if (script !== undefined) stack.environment({ PATH: `${script}:${stack.variables.PATH}` });
    await stack.program(
      program({ "192.0.2.0/24": value, "203.0.113.0/24": 1 }, value, ["198.51.100.7", "198.51.100.8"]),
    );
    const second = await inTheMiddle(stack, emulator, value, ["198.51.100.7", "198.51.100.8"]);
    expect(isChild(second.provider, second.engine.pid)).toBe(KIND === "plugin" || script === undefined);
    process.kill(second.engine.pid ?? 0, "SIGKILL");
    await until("the provider exits", () => !isAlive(second.provider));
    expect(held(emulator)).toEqual(
      settled({ "192.0.2.0/24": value, "203.0.113.0/24": 1 }, value, ["198.51.100.7", "198.51.100.8"]),
    );
    expect(emulator.journal.at(-1)).toMatchObject({ cmd: "list", url: BLOCKED, status: 200 });
    expect(notes(stack)).toHaveLength(1);
    expect((await stack.up("--skip-preview")).text).toMatch(/locked/);
    await stack.must("cancel", "--yes");
    // What the killed run put in is taken for this stack's, and leaves with the program.
    await stack.program(program({ "192.0.2.0/24": value }, value, ["198.51.100.7", "198.51.100.8"]));
    const seen = await stack.preview();
    expect(seen.text).toContain(
      "holds what an interrupted run of this stack left (203.0.113.0/24): this up removes it.",
    );
    await converges(stack);
    expect(held(emulator).blocked.applied).toEqual({ "192.0.2.0/24": value });
    expect(notes(stack)).toEqual([]);
  }

  // Ctrl-C while a set is written.
  await stack.program(program({ "192.0.2.0/24": 4, "2001:db8::/32": 1 }, 4, ["198.51.100.8"]));
  const third = await inTheMiddle(stack, emulator, 4, ["198.51.100.8"]);
  process.kill(third.engine.pid ?? 0, "SIGINT");
  const interrupted = await third.ended;
  expect(interrupted.code, interrupted.text).not.toBe(0);
  await until("the provider exits", () => !isAlive(third.provider));
  await converges(stack);
  expect(held(emulator)).toEqual(settled({ "192.0.2.0/24": 4, "2001:db8::/32": 1 }, 4, ["198.51.100.8"]));

  await stack.must("destroy", "--yes", "--skip-preview");
  expect(held(emulator)).toEqual({ ...settled({}, 0, []), partners: {} });
});
