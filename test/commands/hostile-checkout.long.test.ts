import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { run } from "./support";

/** Sequences that act on a screen. */
const ACTING = "\u001b[2J\u009b31m\u202e";
const SEEN_ACTING = /(?![\n\r\t])[\p{Cc}\p{Cf}]/u;
const HELD = { "192.0.2.0/24": 1, "10.20.0.0/16": 1 };

const folder = useEmptyFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: HELD } } } } });
});
afterEach(async () => {
  await emulator.close();
});

const write = (name: string, text: string, mode = 0o644) => writeFile(join(folder, name), text, { mode });
const here = (...args: string[]) => run(args, { folder, env: { PACKETFILTER_ENDPOINT: emulator.endpoint } });
const changes = () => emulator.journal.filter(({ cmd }) => cmd !== "list").length;

describe("notes of a probe that a commit has brought", () => {
  const begun = () => JSON.stringify({ begun: { endpoint: emulator.endpoint, set: "prefixset://edge/blocked" } });
  const notes = (...lines: object[]) => [begun(), ...lines.map((line) => JSON.stringify(line)), ""].join("\n");
  const clean = () => here("probe", "--clean");

  test("as a checkout makes it, readable for others, are not acted upon", async () => {
    await write("probe.undo", notes({ insert: ["192.0.2.0/24"] }));
    const ended = await clean();
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("may have come with a commit")]);
    expect(emulator.journal).toEqual([]);
    await chmod(join(folder, "probe.undo"), 0o600);
    expect((await clean()).code).toBe(0);
    expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({ "10.20.0.0/16": 1 });
  });

  test.each(["10.20.0.0/16", "192.0.2.0/1", "::/0", "0.0.0.0/0", "3232235776", "2001:db8::/3", "192.0.2.0/24 "])(
    "remove nothing but what a probe writes: %j",
    async (prefix) => {
      await write("probe.undo", notes({ insert: [prefix] }), 0o600);
      expect(await clean()).toMatchObject({
        code: 2,
        err: expect.stringContaining("line 2 is none that a probe notes"),
      });
      expect(changes()).toBe(0);
    },
  );

  test("run no code", async () => {
    await write("read.cjs", `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "struck"))}, "");`);
    const learnt = { node: { answers: { read: join(folder, "read.cjs") } }, receiver: {} };
    await write("probe.undo", notes({ learnt }, { insert: ["192.0.2.0/24"] }), 0o600);
    expect((await clean()).code).toBe(0);
    await expect(rm(join(folder, "struck"))).rejects.toThrow("ENOENT");
  });

  test("that are a link show nothing of where it leads", async () => {
    await mkdir(join(folder, "outside"));
    await write("outside/secret", "canary-5d1e7b\n", 0o600);
    await symlink(join(folder, "outside/secret"), join(folder, "probe.undo"));
    const ended = await clean();
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("symbolic link")]);
    expect(ended.out + ended.err).not.toContain("canary");
  });
});

describe("a pid file of an emulator that a commit has brought", () => {
  const TOKEN = "canary-5d1e7b";
  const stop = () =>
    run(["emulator", "stop", "--pid-file", join(folder, "emulator.pid")], {
      folder,
      env: { PACKETFILTER_EMULATOR_TOKEN: TOKEN },
    });

  test.each(["http://attacker.example:80", "https://127.0.0.1:1", "http://127.0.0.1@192.0.2.1", "file:///etc/passwd"])(
    "leads the token nowhere: %s",
    async (control) => {
      await write("emulator.pid", `1\n${control}\n`);
      expect(await stop()).toMatchObject({
        code: 2,
        err: expect.stringContaining("is not a file that emulator --background"),
      });
    },
  );

  test("shows what answers there as text", async () => {
    using server = await serveRaw((_, response) => response.writeHead(403).end(ACTING));
    await write("emulator.pid", `1\n${server.url}\n`);
    const ended = await stop();
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("does not end")]);
    expect(ended.err).not.toMatch(SEEN_ACTING);
  });
});

describe("names and texts of a project", () => {
  const block = (...more: string[]) =>
    here("block", "203.0.113.7", "--reason", "flood", "--permanent", "--file", "blocks.yaml", ...more);

  test("act on no screen: files of stacks, their keys and values, prefix files", async () => {
    await write("Pulumi.yaml", `name: ${JSON.stringify(ACTING)}\nruntime: nodejs\n`);
    await write("blocks.yaml", `"198.51.100.0/24": { value: 1, reason: ${JSON.stringify(ACTING)} }\n`);
    await write(`Pulumi.${ACTING}.yaml`, "config: {}\n");
    const said: string[] = [];
    for (const content of [
      "config: {}\n",
      `config: { ${JSON.stringify(`packetfilter:${ACTING}`)}: 1 }\n`,
      `config: { "packetfilter:auditLog": ${JSON.stringify(ACTING)} }\n`,
      `config: { "packetfilter:forbiddenPrefixes": [${JSON.stringify(ACTING)}] }\n`,
      `config: { "packetfilter:nodes": { ${JSON.stringify(ACTING)}: { endpoint: ${JSON.stringify(ACTING)} } } }\n`,
      `${JSON.stringify(ACTING)}: [\n`,
    ]) {
      await write("Pulumi.dev.yaml", content);
      for (const more of [[], ["--all-stacks"], ["--stack", "prod"], ["--now", "prefixset://edge/blocked"]]) {
        const { out, err } = await block(...more);
        said.push(out, err);
      }
      const { out, err } = await here("list", "prefixset://edge/blocked", "--stack", "dev");
      said.push(out, err);
    }
    await write("blocks.yaml", `${JSON.stringify(ACTING)}: 1\n`);
    said.push((await block()).err, (await here("unblock", "203.0.113.7", "--file", "blocks.yaml")).err);
    expect(said.filter((text) => text !== "").length).toBeGreaterThan(20);
    expect(said.filter((text) => SEEN_ACTING.test(text))).toEqual([]);
  });
});
