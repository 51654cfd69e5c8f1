import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startHealth } from "../support/health";
import { isAlive, until } from "./support/processes";
import { finished, TestStack } from "./support/stack";
import { BLOCKED, emptyNode } from "./support/world";

const NODES = ["lab1", "fra1", "ams1"] as const;
const [ONE, TWO] = ["192.0.2.0/24", "198.51.100.0/24"];
/** Longer than any test: a run that is not cancelled does not end. */
const HOURS_MS = 7_200_000;

it("Ctrl-C in a pause, a command check and a url check without an answer ends the run before the next node; state and message say what is done", async () => {
  const [lab1, fra1, ams1] = [await emptyNode(), await emptyNode(), await emptyNode()];
  const nodes = { lab1, fra1, ams1 };
  await using health = await startHealth();
  const places = Object.fromEntries(Object.entries(nodes).map(([name, { endpoint }]) => [name, { endpoint }]));
  const stack = await TestStack.create({ program: "", config: { nodes: places } });
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]();
      await Promise.all([lab1, fra1, ams1].map((node) => node.close()));
    },
  };
  const program = (entries: readonly string[], rollout: object) =>
    stack.program(`new pf.PrefixSetGroup("blocked", {
      arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)}, nodes: ${JSON.stringify(NODES)},
      rollout: ${JSON.stringify({ waves: [["lab1"], ["fra1"]], ...rollout })},
    });`);
  const held = () => NODES.map((name) => Object.keys(nodes[name].prefixSet(BLOCKED).applied).sort());
  /** An `up` that gets Ctrl-C at a moment. */
  const cancelledAt = async (what: string, isNow: (printed: string) => boolean) => {
    const engine = stack.start("up", "--yes", "--skip-preview", "--stack", "test");
    let printed = "";
    engine.stdout.on("data", (text) => (printed += text));
    const ended = finished(engine);
    await until(what, () => isNow(printed), 60_000);
    engine.kill("SIGINT");
    const { code, text } = await ended;
    expect(code, text).not.toBe(0);
    expect(text.replace(/\s+/g, " ")).toMatch(
      /wave 1 of 3 \(lab1\) did not pass: .*the run was cancelled\. 2 nodes of later waves were not touched\./,
    );
    expect((await stack.state()).blocked?.outputs.rollout).toMatchObject({ wave: 1, of: 3, nodes: ["lab1"] });
  };

  const url = { check: { url: health.url }, checkTimeoutMs: HOURS_MS };
  await program([ONE], { ...url, pauseMs: HOURS_MS });
  await cancelledAt("the pause after wave 1", (printed) => printed.includes("its pause is"));
  expect(held()).toEqual([[ONE], [], []]);
  expect(health.asked()).toEqual([]);

  health.silent.add("lab1");
  await program([ONE], url);
  const asked: string[] = [];
  await cancelledAt("the question about wave 1", () => asked.push(...health.asked()) > 0);
  expect(held()).toEqual([[ONE], [], []]);
  expect([...asked, ...health.asked()]).toEqual(["lab1"]);
  health.silent.clear();
  await stack.must("up", "--yes", "--skip-preview");
  expect(held()).toEqual([[ONE], [ONE], [ONE]]);

  await stack.write("healthy.sh", '#!/bin/sh\nsleep 7200 &\necho "$!" > started\nmv started child\nwait\n');
  await chmod(join(stack.folder, "healthy.sh"), 0o755);
  await program([ONE, TWO], { check: { command: ["./healthy.sh"] }, checkTimeoutMs: HOURS_MS });
  await cancelledAt("the command of wave 1", () => existsSync(join(stack.folder, "child")));
  // The command is killed with its children.
  const child = Number(await stack.read("child"));
  await until("the end of the command's child", () => !isAlive(child));
  expect(held()).toEqual([[ONE, TWO], [ONE], [ONE]]);
  await stack.write("healthy.sh", "#!/bin/sh\n");
  await stack.must("up", "--yes", "--skip-preview");
  expect(held()).toEqual([
    [ONE, TWO],
    [ONE, TWO],
    [ONE, TWO],
  ]);
  await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
}, 300_000);
