import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { readDialect, SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { readStateFile } from "../../provider/emulator/state/state-file";
import { UNKNOWABLE } from "../probe/unknowable";
import { blocksOf, commandsOf, root } from "../support/markdown";
import { run } from "./support";

const PAGE = "docs/guides/first-contact.md";

test("the guide's commands, one after the other, end in an emulator that answers as the node does", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-first-contact-"));
  // No marks: their lists would have to wait for their pace.
  const state = { arenas: { edge: { sets: { probe: {} }, profiles: {} } } };
  const dialect = { listEnvelope: "payload.rows2", prefixKey: "subnet", lengthKey: "size", success: "empty" } as const;
  await using node = await startEmulator({ state, dialect });
  const env = { PACKETFILTER_ENDPOINT: node.endpoint };
  const commands = commandsOf(blocksOf(PAGE)).filter((line) =>
    /^pulumi-packetfilter (probe prefixset|capture)/.test(line),
  );
  expect(commands.map((command) => command.split(" ")[1])).toEqual(["probe", "probe", "capture", "probe"]);
  for (const command of commands) {
    const [line = "", file] = command.replace(" profile://edge/web", "").split(" > ");
    const { code, out, err } = await run(line.split(" ").slice(1), { env, folder });
    expect({ code, err }, command).toEqual({ code: 0, err: "" });
    if (file) await writeFile(join(folder, file), out);
  }

  const written = JSON.parse(await readFile(join(folder, "node.json"), "utf8"));
  expect(written.node).toEqual({
    answers: {
      path: { prefixset: "payload.rows2" },
      // Of the value, "v" is read without a setting.
      names: { prefix: "subnet", prefixLength: "size" },
    },
  });
  await using copy = await startEmulator({
    state: await readStateFile(join(folder, "edge.yaml")),
    dialect: await readDialect(join(folder, "node.json")),
  });
  await rm(folder, { recursive: true });
  node.change("prefixset://edge/probe", { insert: { "192.0.2.0/24": 7 } });
  copy.change("prefixset://edge/probe", { insert: { "192.0.2.0/24": 7 } });
  const body = JSON.stringify({ url: "prefixset://edge/probe", cmd: "list" });
  const answers = [node, copy].map(async ({ endpoint }) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${endpoint}/fapi`, { method: "POST", headers, body })).text();
  });
  expect(await answers[1]).toBe(await answers[0]);
  const client = new NodeClient({ endpoint: node.endpoint, ...written.node });
  const entries = await client.listPrefixSet({ kind: "prefixset", arena: "edge", set: "probe" });
  await client.close();
  expect(entries.map(({ prefix, value }) => [prefix.toString(), value])).toEqual([["192.0.2.0/24", 7]]);
});

test("the guide names every switch that no client can find out, and links to files that exist", async () => {
  const text = await readFile(join(root, PAGE), "utf8");
  const table = text.slice(text.indexOf("## What no client can find out"));
  const named = [...table.matchAll(/`(\w+)(?:: \w+)?`/g)].map(([, name]) => name ?? "");
  expect(named).toEqual(expect.arrayContaining(Object.keys(UNKNOWABLE)));
  expect(named.filter((name) => !(name in SWITCHES))).toEqual([]);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
  expect(links.filter((link) => !existsSync(join(root, dirname(PAGE), link)))).toEqual([]);
});
