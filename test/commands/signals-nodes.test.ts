import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { startEmulator } from "../../provider/emulator";
import { sentIn } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { writeStack } from "./nodes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const GONE = "203.0.113.1/32";
const folder = useEmptyFolder();

/** Commands, each with the file before it, its words, and the content of a node before and after it. */
const COMMANDS = {
  block: [["203.0.113.7", "--reason", "r", "--permanent"], {}, { "203.0.113.7/32": 1 }],
  unblock: [["203.0.113.1"], { [GONE]: 1 }, {}],
  "block expire": [[], { [GONE]: 1 }, {}],
} as const;

test.each(
  Object.entries(COMMANDS).flatMap(([name, row]) =>
    (["SIGINT", "SIGTERM"] as const).map((signal) => [name, signal, ...row] as const),
  ),
)(
  "%s says after %s which node is done, which was not sent to, and of which it is unknown",
  async (name, signal, words, held, left) => {
    await using healthy = await startEmulator({ state: { arenas: { edge: { sets: { blocked: held } } } } });
    const stop = new AbortController();
    const data = Object.entries(held).map(([p, v]) => ({ p, v }));
    const asked = { fra1: 0, lon1: 0 };
    let [shown, after] = ["", 0];
    const look = () => {
      if (stop.signal.aborted) after += 1;
      if (shown.includes(`ams1 ${BLOCKED}: done`) && asked.fra1 === 1 && asked.lon1 === 2)
        stop.abort(new Interrupted(signal));
    };
    // One answers nothing, and one nothing behind its first list.
    using silent = await serveRaw((request, response) => {
      if (request.url === "/test") return void response.end();
      const name = request.url?.startsWith("/fra1") ? "fra1" : "lon1";
      asked[name] += 1;
      if (name === "lon1" && asked.lon1 === 1) response.end(JSON.stringify({ data }));
      look();
    });
    const places = { ams1: healthy.endpoint, fra1: `${silent.url}/fra1`, lon1: `${silent.url}/lon1` };
    await writeStack(folder, places);
    const sent = [1, BLOCKED, ...Object.values(places)].join(" ");
    const expires = name === "block expire" ? "2020-01-31T18:00:00Z" : "2099-01-31T18:00:00Z";
    const entries = Object.keys(held).map((one) => `${one}: { value: 1, expires: "${expires}", sent: ${sent} }\n`);
    await writeFile(join(folder, "blocks.yaml"), `# ours\n${entries.join("")}`);
    const args = [...name.split(" "), ...words, "--file", "blocks.yaml", "--now", BLOCKED, "--all-nodes"];
    const heard = (said: { readonly out: string }) => {
      shown = said.out;
      if (!stop.signal.aborted) look();
    };
    const surroundings = { folder, stop: stop.signal, graceMs: 600_000, heard };
    const { code, out, err } = await run([...args, "--timeout", "10m"], surroundings);
    expect(code).toBe(signal === "SIGINT" ? 130 : 143);
    await fetch(`${silent.url}/test`);
    expect(after).toBe(0);
    for (const line of ["ams1 {}: done, 1 changed", "fra1 {}: not sent", "lon1 {}: unknown"])
      expect(out.split("\n")).toContain(line.replace("{}", BLOCKED));
    expect(out).toContain("\n1 of 3 nodes: done.\nnot sent: fra1.\nunknown: lon1.\n");
    expect(err).toContain(
      "fra1: not sent, interrupted before it answered.\nlon1: unknown, interrupted before it answered.\n",
    );
    expect(err).toMatch(/To finish the rest, run "pulumi up", or:\n {2}pulumi-packetfilter .*--node fra1,lon1/);
    expect(healthy.prefixSet(BLOCKED).applied).toEqual(left);
    // What may be there is remembered; what is gone is not.
    const [[prefix, entry] = [], ...others] = Object.entries(readPrefixFile(join(folder, "blocks.yaml")));
    expect([prefix, others]).toEqual([name === "block" ? "203.0.113.7/32" : GONE, []]);
    const where = name === "block" ? [places.ams1, places.lon1] : [places.fra1, places.lon1];
    expect(sentIn(entry)?.split(" ").toSorted()).toEqual(["1", BLOCKED, ...where].toSorted());
    expect(await readFile(join(folder, "blocks.yaml"), "utf8")).toMatch(/^# ours\n/);
    expect(readdirSync(folder).toSorted()).toEqual(["Pulumi.dev.yaml", "blocks.yaml"]);
  },
);
