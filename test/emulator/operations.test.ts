import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { z } from "zod";

const run = promisify(execFile);
const ready = z.object({ endpoint: z.string(), signalingUrl: z.string() });

/** Commands and the answers below them, in the order of the page. */
function examples(page: string): { command: string; answer: string }[] {
  const blocks = [...page.matchAll(/^```text answers\n(.*?)^```$/gms)].map(([, block = ""]) => block).join("");
  return [...blocks.matchAll(/^\$ (.*)\n(.*)\n/gm)].map(([, command = "", answer = ""]) => ({ command, answer }));
}

/** Marks end, so what is left of them depends on when one asks. */
const timeless = (answer: string) => answer.trim().replace(/"t":\d+/g, '"t":…');

it("every operation of both APIs answers curl as docs/operations.md says", async () => {
  const page = await readFile("docs/operations.md", "utf8");
  const pairs = examples(page);
  const [fapi = ""] = /^fapi\(\) .*$/m.exec(page) ?? [];
  const emulator = spawn("npx", ["pulumi-packetfilter", "emulator", "--json"], { detached: true, stdio: "pipe" });
  try {
    const [line] = await once(emulator.stdout.setEncoding("utf8"), "data");
    const { endpoint, signalingUrl } = ready.parse(JSON.parse(line));
    const env = { ...process.env, NODE: endpoint, SIGNALING: signalingUrl };
    const answers = [];
    for (const { command } of pairs) answers.push((await run("sh", ["-c", `${fapi}\n${command}`], { env })).stdout);
    expect(answers.map(timeless)).toEqual(pairs.map(({ answer }) => timeless(answer)));
    expect(pairs).toHaveLength(15);
  } finally {
    // npx starts a shell of its own: the whole group ends.
    process.kill(-(emulator.pid ?? 0), "SIGTERM");
  }
});
