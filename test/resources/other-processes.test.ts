import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DeploymentFolder } from "../../provider/resources/other-processes";
import { KeyRegistry } from "../../provider/resources/wanted";

const NODE = { name: "fra1", endpoint: "http://192.0.2.10" };
const BLOCKED = "prefixset://edge/blocked";
const [A, B] = ["198.51.100.0/24", "203.0.113.7/32"];
const ENGINE = { engine: process.pid, address: "127.0.0.1:40001" };

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "packetfilter-processes-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A provider process, by its id. */
function provider(pid: number, engine = ENGINE) {
  const folder = new DeploymentFolder({ ...engine, pid }, parent);
  return { folder, wanted: new KeyRegistry(folder) };
}

it("what a process of the deployment wants, by name or address, another knows before it removes", () => {
  const [first, second] = [provider(1), provider(2)];
  first.wanted.of(NODE, BLOCKED).add([A]);
  const { endpoint } = NODE;
  const known = () => [
    { endpoint },
    { name: "fra1", endpoint: "http://192.0.2.99" },
    { endpoint: "http://192.0.2.99" },
  ];
  const asked = () => known().map((place) => second.wanted.of(place, BLOCKED).has(A));
  expect(asked()).toEqual([false, false, false]);
  second.folder.learn();
  expect(asked()).toEqual([true, true, false]);
  expect(second.wanted.of(NODE, BLOCKED).has(B)).toBe(false);
  expect(second.wanted.of(NODE, "prefixset://edge/partners").has(A)).toBe(false);
  first.wanted.of(NODE, BLOCKED).add([A, B]);
  second.folder.learn();
  expect(second.wanted.of(NODE, BLOCKED).has(B)).toBe(true);
});

it("another deployment knows nothing of it", () => {
  provider(1).wanted.of(NODE, BLOCKED).add([A]);
  const other = provider(2, { ...ENGINE, address: "127.0.0.1:40002" });
  other.folder.learn();
  expect(other.wanted.of(NODE, BLOCKED).has(A)).toBe(false);
});

it("its file is its owner's, names no prefix and goes with the process, the folder at last", () => {
  const [first, second] = [provider(1), provider(2)];
  for (const { wanted } of [first, second]) wanted.of(NODE, BLOCKED).add([A]);
  const [folder = ""] = readdirSync(parent);
  const modes = [join(parent, folder), join(parent, folder, "1")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  expect(readFileSync(join(parent, folder, "1"), "utf8")).not.toMatch(/198|192|fra1|blocked/);
  first.folder.end();
  expect(readdirSync(join(parent, folder))).toEqual(["2"]);
  second.folder.end();
  expect(readdirSync(parent)).toEqual([]);
});

it("a process that wants nothing leaves nothing, and what a killed engine left goes with the next deployment", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  mkdirSync(join(parent, `packetfilter-deployment-${pid}-40001`));
  const process1 = provider(1);
  process1.folder.learn();
  process1.folder.end();
  expect(readdirSync(parent)).toEqual([`packetfilter-deployment-${pid}-40001`]);
  process1.wanted.of(NODE, BLOCKED).add([A]);
  expect(readdirSync(parent)).toEqual([`packetfilter-deployment-${process.pid}-40001`]);
});

it("where there can be no folder, each process knows what it wants itself", () => {
  const alone = new DeploymentFolder({ ...ENGINE, pid: 1 }, join(parent, "there is none"));
  const wanted = new KeyRegistry(alone);
  wanted.of(NODE, BLOCKED).add([A]);
  alone.learn();
  expect([A, B].map((prefix) => wanted.of(NODE, BLOCKED).has(prefix))).toEqual([true, false]);
});

it("what the program of the deployment wants is known to its provider processes, and goes with them", () => {
  const language = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
  try {
    const program = provider(3, { ...ENGINE, engine: language.pid ?? 0 });
    program.wanted.of(NODE, BLOCKED).add([A]);
    const other = provider(4, { engine: language.pid ?? 0, address: "127.0.0.1:40002" });
    other.wanted.of(NODE, BLOCKED).add([B]);
    const one = provider(1);
    one.folder.learn();
    expect([A, B].map((prefix) => one.wanted.of(NODE, BLOCKED).has(prefix))).toEqual([true, false]);
    one.folder.end();
    expect(readdirSync(parent)).toEqual([`packetfilter-deployment-${language.pid}-40002`]);
  } finally {
    language.kill();
  }
});
