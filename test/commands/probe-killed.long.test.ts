import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { noteLine } from "../../provider/probe/asking/undo";
import { Appliance, CLIENT, OWN } from "../probe/appliances/appliance";
import { probed, SET, startNode, TOKEN } from "../probe/support";
import { useFolder } from "../support/folder";
import { run } from "./support";

const CLI = resolve(__dirname, "../../dist/provider/cli.js");

const folder = useFolder();

const environment = ({ url }: Appliance) => ({
  PACKETFILTER_ENDPOINT: url,
  PACKETFILTER_SIGNALING_URL: `${url}/path`,
  PACKETFILTER_CLIENT_ID: CLIENT.clientId,
  PACKETFILTER_SECRET_KEY: CLIENT.secretKey,
});

/** A probe as a process of its own, which gets a signal once the node holds entries, or the receiver a signaling. */
async function endedBy(signal: "SIGKILL" | "SIGTERM", appliance: Appliance, when: () => boolean) {
  const args = [CLI, "probe", "prefixset://edge/probe", "--write", "--signaling", OWN, "--out", "node.json"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...environment(appliance) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  appliance.onRequest = () => {
    if (when() && !child.killed) child.kill(signal);
  };
  const [code] = await once(child, "close");
  appliance.onRequest = () => {};
  return { code, err };
}

test("what a killed probe left is refused to be forgotten, and --clean takes it back", async () => {
  await using appliance = await Appliance.start("lua");
  const env = environment(appliance);
  const held = () => appliance.sets.get("edge/probe")?.size ?? 0;
  await endedBy("SIGKILL", appliance, () => appliance.requests > 60 && held() > 0);
  expect(held()).toBeGreaterThan(0);
  const [url, write] = ["prefixset://edge/probe", ["--write", "--signaling", OWN, "--out", "node.json"]];
  const reached = ["--endpoint", appliance.url, "--timeout", "20s", "--signaling-url", `${appliance.url}/path`];
  const { PACKETFILTER_CLIENT_ID, PACKETFILTER_SECRET_KEY } = env;
  const credentials = { PACKETFILTER_CLIENT_ID, PACKETFILTER_SECRET_KEY };
  const again = await run(["probe", url, ...write, ...reached, "--client-id", CLIENT.clientId], { env, folder });
  const [, command = ""] = /Take it back first: pulumi-packetfilter (.*)\n$/.exec(again.err) ?? [];
  expect({ code: again.code, command: new Set(command.split(" ")) }).toEqual({
    code: 2,
    command: new Set(["probe", "--clean", "node.json.undo", ...reached, "--client-id", CLIENT.clientId]),
  });
  const clean = (given: Record<string, string> = env) =>
    run(["probe", "--clean", "node.json.undo"], { env: given, folder });
  const elsewhere = await clean({ ...env, PACKETFILTER_ENDPOINT: "http://127.0.0.1:1" });
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining("name the same node") });
  expect(await run(command.split(" "), { env: credentials, folder })).toEqual({
    code: 0,
    out: "Everything that the probe of node.json.undo wrote and started is removed.\n",
    err: "",
  });
  expect(appliance.held("edge/probe")).toEqual({});
  expect(await clean()).toMatchObject({ code: 2, err: expect.stringContaining("there is no node.json.undo") });
});

test.each(["", "/redirected"])(
  "a node that had redirected to another path is cleaned up by either address: %o",
  async (path) => {
    await using emulator = await startNode({ redirect: "302" });
    const dead = emulator.fail({ kind: "reset", nth: 70, times: 100_000 });
    let notes = "";
    const { left } = await probed(emulator, { note: (note) => (notes += noteLine(note)) });
    dead.remove();
    expect(left[0]?.prefixes.length).toBeGreaterThan(0);
    await writeFile(join(folder, "moved.undo"), notes, { mode: 0o600 });
    const env = {
      PACKETFILTER_ENDPOINT: `${emulator.endpoint}${path}`,
      PACKETFILTER_HEADERS: `{"authorization":"Bearer ${TOKEN}"}`,
    };
    expect(await run(["probe", "--clean", "moved.undo"], { env, folder })).toMatchObject({ code: 0, err: "" });
    expect(emulator.prefixSet(SET)).toEqual({ applied: {}, staged: {} });
  },
);

test("SIGTERM ends a probe, and a signaling that shows late is stopped before it is over", async () => {
  await using appliance = await Appliance.start("coded");
  const { code, err } = await endedBy("SIGTERM", appliance, () => appliance.active.size > 0);
  expect({ code, err }).toEqual({ code: 143, err: expect.stringContaining("it received a signal to end") });
  expect(appliance.held("edge/probe")).toEqual({});
  expect(appliance.signaled()).toEqual([]);
  await expect(access(join(folder, "node.json.undo"))).rejects.toThrow("ENOENT");
});
