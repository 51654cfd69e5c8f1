import { readFileSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { startHealth } from "../support/health";
import { providersUnder, until } from "./support/processes";
import { finished, TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since } from "./support/world";

const NODES = ["lab1", "fra1", "ams1"] as const;
const [ONE, TWO, THREE, FOUR] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.51.100.128/25"];

it("a wave that did not pass stays red for other programs and after a kill; what passes goes on, backwards in a destroy", async () => {
  const [lab1, fra1, ams1] = [await emptyNode(), await emptyNode(), await emptyNode()];
  const nodes = { lab1, fra1, ams1 };
  await using health = await startHealth();
  const endpoints = Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }]);
  const stack = await TestStack.create({ program: "", config: { nodes: Object.fromEntries(endpoints) } });
  await using _ = { [Symbol.asyncDispose]: () => ended(stack, Object.values(nodes)) };
  const program = (entries: readonly string[], check: string) =>
    stack.program(`
      const blocked = new pf.PrefixSetGroup("blocked", {
        arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)}, nodes: ${JSON.stringify(NODES)},
        rollout: { waves: [["lab1"], ["fra1"]], checkTimeoutMs: 1000, ${check} },
      });
      exports.rollout = blocked.rollout;`);
  const http = `check: { url: "${health.url}", headers: { authorization: "Bearer very-private" } }`;
  const held = () => NODES.map((name) => Object.keys(nodes[name].prefixSet(BLOCKED).applied));

  // The second wave is ill: the third is not touched, and the state says which did not pass.
  health.ill.set("fra1", 503);
  await program([ONE], http);
  const red = await stack.up("--skip-preview");
  expect(red.code).not.toBe(0);
  const reason = `GET ${health.of("fra1")}: HTTP 503`;
  expect(oneLine(red.text)).toContain(
    `Set ${BLOCKED}: wave 2 of 3 (fra1) did not pass: ${reason}. 1 node of a later wave was not touched.`,
  );
  expect(red.text).not.toContain("error serializing");
  expect(held()).toEqual([[ONE], [ONE], []]);
  expect((await stack.state()).blocked?.outputs.rollout).toMatchObject({ wave: 2, of: 3, nodes: ["fra1"], reason });
  expect(health.headers.every(({ authorization }) => authorization === "Bearer very-private")).toBe(true);
  expect(await stack.read(".backend/.pulumi/stacks/journey/test.json")).not.toContain("very-private");

  // A program without a check does not get past it, and its preview says so. What another node lost meanwhile is restored all the same.
  lab1.change(BLOCKED, { delete: [ONE] });
  await program([ONE, TWO], "");
  const other = await stack.up();
  expect(other.code).not.toBe(0);
  expect(oneLine(other.text)).toContain(`${BLOCKED}: wave 2 of 3 (fra1) did not pass: ${reason}`);
  expect(held()).toEqual([[ONE], [ONE], []]);

  // Well again, it goes on where it stopped.
  health.ill.clear();
  health.asked();
  await program([ONE], http);
  await stack.must("up", "--yes", "--skip-preview");
  expect(health.asked()).toEqual(["fra1", "ams1"]);
  expect(held()).toEqual([[ONE], [ONE], [ONE]]);

  // Killed between the write of a wave and its check, at each wave: another content begins with the first wave, and stops at that node.
  for (const [index, name] of NODES.entries()) {
    const entry = `203.0.113.${index}/32`;
    health.silent.add(name);
    health.asked();
    await program([ONE, entry], http);
    const engine = stack.start("up", "--yes", "--skip-preview", "--stack", "test");
    const gone = finished(engine);
    const isWritten = () => held()[index]?.includes(entry) === true && health.asked().includes(name);
    await until(`the check of wave ${index + 1}`, isWritten, 60_000);
    for (const provider of providersUnder(engine.pid ?? 0)) process.kill(provider, "SIGKILL");
    expect((await gone).code).not.toBe(0);
    health.silent.clear();
    health.ill.set(name, 500);
    const later = [lab1, fra1, ams1].slice(index + 1).map(since);
    await program([ONE, THREE], http.replace("Bearer", "Bearer 2"));
    const after = await stack.up("--skip-preview");
    expect(after.code).not.toBe(0);
    expect(oneLine(after.text)).toContain(
      `wave ${index + 1} of 3 (${name}) did not pass: GET ${health.of(name)}: HTTP 500.`,
    );
    expect(later.map((mutations) => mutations())).toEqual(later.map(() => []));
    health.ill.clear();
    await program([ONE], http);
    // What the killed run put in is in no state: a refresh finds it.
    await stack.must("up", "--yes", "--skip-preview", "--refresh");
    expect(held()).toEqual([[ONE], [ONE], [ONE]]);
  }

  // A command takes the place of the url: run in the folder of the program, once a wave, and red until it passes itself.
  const script = `#!/bin/sh
echo "$PACKETFILTER_NODES $PACKETFILTER_SET" >> checked
while [ -e slow ]; do sleep 0.1; done
[ ! -e full ] || { echo "queue is full"; exit 3; }
`;
  await stack.write("healthy.sh", script);
  await stack.write("full", "");
  await chmod(join(stack.folder, "healthy.sh"), 0o755);
  await program([ONE, FOUR], 'check: { command: ["./healthy.sh"] }');
  const full = await stack.up("--skip-preview");
  expect(full.code).not.toBe(0);
  expect(oneLine(full.text)).toContain("wave 1 of 3 (lab1) did not pass: ./healthy.sh: exit code 3: queue is full.");
  expect(held()).toEqual([[ONE, FOUR], [ONE], [ONE]]);
  await rm(join(stack.folder, "full"));
  await stack.must("up", "--yes", "--skip-preview");
  expect(held()).toEqual([
    [ONE, FOUR],
    [ONE, FOUR],
    [ONE, FOUR],
  ]);
  expect(await stack.read("checked")).toContain(`lab1 ${BLOCKED}\nfra1 ${BLOCKED}\nams1 ${BLOCKED}\n`);

  // Killed while the command looks at the first wave: the next run begins with it.
  await stack.write("slow", "");
  await stack.write("checked", "");
  await program([ONE, "203.0.113.9/32"], 'check: { command: ["./healthy.sh"] }');
  const engine = stack.start("up", "--yes", "--skip-preview", "--stack", "test");
  const gone = finished(engine);
  const isLooked = () => readFileSync(join(stack.folder, "checked"), "utf8") === `lab1 ${BLOCKED}\n`;
  await until("the command of wave 1", isLooked, 60_000);
  for (const provider of providersUnder(engine.pid ?? 0)) process.kill(provider, "SIGKILL");
  expect((await gone).code).not.toBe(0);
  await stack.write("full", "");
  await rm(join(stack.folder, "slow"));
  const killed = await stack.up("--skip-preview");
  expect(killed.code).not.toBe(0);
  expect(oneLine(killed.text)).toContain("wave 1 of 3 (lab1) did not pass: ./healthy.sh: exit code 3: queue is full.");
  const last = [ONE, "203.0.113.9/32"];
  expect(held()).toEqual([last, [ONE, FOUR], [ONE, FOUR]]);
  await rm(join(stack.folder, "full"));
  await stack.must("up", "--yes", "--skip-preview");
  expect(held()).toEqual([last, last, last]);

  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  const cleared = NODES.map((name) => [name, nodes[name].requests({ cmd: "commit" }).at(-1)?.time ?? ""] as const);
  const order = cleared.toSorted(([, a], [, b]) => a.localeCompare(b)).map(([name]) => name);
  expect(order).toEqual(["ams1", "fra1", "lab1"]);
}, 300_000);

async function ended(stack: TestStack, nodes: readonly Emulator[]): Promise<void> {
  await stack[Symbol.asyncDispose]();
  await Promise.all(nodes.map((node) => node.close()));
}

/** As it was said: the engine breaks lines. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
