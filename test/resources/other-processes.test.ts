import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DeploymentFolder } from "../../provider/deployment/other-processes";
import { ownFile } from "../../provider/deployment/process-files";
import { SentFiles } from "../../provider/deployment/sent-files";
import { parseShareLimit } from "../../provider/model/limits";
import { Prefix } from "../../provider/model/prefix";
import { KeyRegistry } from "../../provider/reconcile/desired";
import { RemovalBudget } from "../../provider/reconcile/limits/removals";
import { useEmptyFolder } from "../support/folder";

const NODE = { name: "fra1", endpoint: "http://192.0.2.10" };
const BLOCKED = "prefixset://edge/blocked";
const [A, B] = ["198.51.100.0/24", "203.0.113.7/32"];
const ADDRESS = "127.0.0.1:40001";
const DAY = 24 * 3_600_000;

const parent = join(useEmptyFolder(), "packetfilter");

/** The id of a process that has ended. */
const ended = () => spawnSync(process.execPath, ["-e", ""]).pid;

/** A provider process, by its id, or the program's. */
function provider({ pid = process.pid, address = ADDRESS, wall = Date.now, isProgram = false } = {}) {
  const folder = new DeploymentFolder(isProgram ? { address } : { address, pid }, parent, { wall });
  const registry = (kind: ConstructorParameters<typeof KeyRegistry>[0]) => new KeyRegistry(kind, folder);
  return { folder, registry, desired: registry("desired") };
}

/** The one folder of a deployment, and what is in it. */
function deployment() {
  const [name = ""] = readdirSync(parent);
  const folder = join(parent, name);
  return { folder, files: readdirSync(folder).map((file) => join(folder, file)) };
}

it("what a process of the deployment wants at an address, another knows before it removes; a name is of one configuration", () => {
  const [first, second] = [provider(), provider()];
  first.desired.of(NODE, BLOCKED).add([A]);
  const { endpoint } = NODE;
  const known = () => [
    { endpoint },
    { name: "fra1", endpoint: "http://192.0.2.99" },
    { endpoint: "http://192.0.2.99" },
  ];
  const asked = () => known().map((place) => second.desired.of(place, BLOCKED).has(A));
  expect(asked()).toEqual([false, false, false]);
  expect(second.folder.sync()).toBeUndefined();
  expect(asked()).toEqual([true, false, false]);
  expect(first.desired.of({ name: "fra1", endpoint: "http://192.0.2.99" }, BLOCKED).has(A)).toBe(true);
  expect(second.desired.of(NODE, BLOCKED).has(B)).toBe(false);
  expect(second.desired.of(NODE, "prefixset://edge/partners").has(A)).toBe(false);
  expect(second.desired.ofOthers(BLOCKED).has(A)).toBe(true);
  expect(first.desired.ofOthers(BLOCKED).has(A)).toBe(false);
  first.desired.of(NODE, BLOCKED).add([A, B]);
  second.folder.sync();
  expect(second.desired.of(NODE, BLOCKED).has(B)).toBe(true);
});

it("what is managed is known to the others, too, and is not taken for what is desired", () => {
  const [first, second] = [provider(), provider()];
  first.registry("managed").addAll([NODE], BLOCKED, new Set([A, B]));
  second.folder.sync();
  const held = (["desired", "managed"] as const).map((kind) => second.registry(kind).at(NODE, BLOCKED));
  expect(held.map((keys) => [keys.size, keys.has(A), keys.has(B)])).toEqual([
    [0, false, false],
    [2, true, true],
  ]);
});

it("removals and other values of all processes count together, once each", () => {
  const stack = {
    maxRemovals: parseShareLimit(30),
    maxChanges: parseShareLimit(30),
    lifts: () => false,
  };
  const [first, second, third] = [provider(), provider(), provider()].map(({ registry, folder }) => {
    const [removed, changed] = [registry("removed"), registry("changed")];
    const learn = () => folder.sync();
    return new RemovalBudget(() => stack, BLOCKED, "blocked", {
      endpoint: NODE.endpoint,
      removed,
      changed,
      sync: learn,
    });
  });
  const prefixes = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => Prefix.canonical(`198.51.100.${from + i}`));
  const asked = [
    first?.refuses("Removals", prefixes(0, 20), 60),
    second?.refuses("Removals", prefixes(20, 30), 60),
    second?.refuses("Removals", prefixes(20, 30), 60),
    first?.refuses("Changes", prefixes(0, 25), 60),
    third?.refuses("Removals", prefixes(30, 31), 60),
    third?.refuses("Changes", prefixes(30, 36), 60),
  ];
  expect(asked.map((reason) => reason?.match(/at least \d+ of the 60/)?.[0])).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    "at least 31 of the 60",
    "at least 31 of the 60",
  ]);
});

it("another deployment knows nothing of it", () => {
  provider().desired.of(NODE, BLOCKED).add([A]);
  const other = provider({ address: "127.0.0.1:40002" });
  expect(other.folder.sync()).toBeUndefined();
  expect(other.desired.of(NODE, BLOCKED).has(A)).toBe(false);
});

it("its file is its owner's and names no prefix; what it said stays until the last process ends", () => {
  const [first, second] = [provider(), provider()];
  first.desired.of(NODE, BLOCKED).add([A]);
  second.desired.of(NODE, BLOCKED).add([B]);
  const { folder, files } = deployment();
  expect([parent, folder, ...files].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600, 0o600]);
  for (const file of files) expect(readFileSync(file, "utf8")).not.toMatch(/198|192|fra1|blocked/);
  first.folder.end();
  second.folder.sync();
  expect(second.desired.of(NODE, BLOCKED).has(A)).toBe(true);
  second.folder.end();
  expect(readdirSync(parent)).toEqual([]);
});

it("what the program said, whether or not its process ends, is known to the provider processes and goes with them", () => {
  const program = provider({ isProgram: true });
  program.desired.of(NODE, BLOCKED).add([A]);
  const one = provider();
  one.folder.sync();
  expect(one.desired.of(NODE, BLOCKED).has(A)).toBe(true);
  one.folder.end();
  expect(readdirSync(parent)).toEqual([]);
});

it("what a killed deployment left whose engine had the same port is no message", () => {
  for (const it of [{}, { isProgram: true }]) {
    const killed = provider({ pid: ended() });
    killed.desired.of(NODE, BLOCKED).add([A]);
    const first = provider(it);
    first.desired.of(NODE, BLOCKED).add([B]);
    const second = provider();
    expect([first, second].map(({ folder }) => folder.sync())).toEqual([undefined, undefined]);
    expect([first, second].map(({ desired }) => desired.of(NODE, BLOCKED).has(A))).toEqual([false, false]);
    expect(second.desired.of(NODE, BLOCKED).has(B)).toBe(true);
    for (const { folder } of [first, second]) folder.end();
  }
});

it("what killed deployments left goes with a later one, once it is a day old", () => {
  provider({ pid: ended(), address: "127.0.0.1:40002" }).desired.of(NODE, BLOCKED).add([A]);
  const left = readdirSync(parent);
  provider().desired.of(NODE, BLOCKED).add([A]);
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(left));
  // The time of a folder has fractions of a millisecond, and the clock none.
  provider({ address: "127.0.0.1:40003", wall: () => Date.now() + DAY + 1 })
    .desired.of(NODE, BLOCKED)
    .add([A]);
  const now = readdirSync(parent);
  expect([now.length, now.includes(left[0] ?? "")]).toEqual([2, false]);
});

it("nothing goes that no deployment made", () => {
  const project = join(parent, "deployment-tools");
  mkdirSync(join(parent, "deployment-40009"), { recursive: true });
  mkdirSync(project, { mode: 0o700 });
  for (const name of ["1-of-many", "ended-well"]) writeFileSync(join(parent, "deployment-40009", name), "");
  chmodSync(parent, 0o700);
  provider({ wall: () => Date.now() + 2 * DAY })
    .desired.of(NODE, BLOCKED)
    .add([A]);
  expect(readdirSync(parent)).toHaveLength(3);
});

const CANNOT =
  /^The provider processes of this deployment cannot tell each other what they want: .+\. Make .+ PULUMI_HOME/;

it.each<[name: string, why: RegExp, plant: () => unknown]>([
  ["a folder of another user", /belongs to another user|needs mode 700/, ofAnotherUser],
  ["a folder that others may use", /needs mode 700/, () => mkdirSync(parent, { mode: 0o755 })],
  ["a link", /is not a folder/, () => symlinkSync(mkdtempSync(join(parent, "..", "real-")), parent)],
  ["a file", /EEXIST|ENOTDIR/, () => writeFileSync(parent, "")],
])("%s is no place to talk: it is said, until it is put right", async (_, why, plant) => {
  await plant();
  const [first, second] = [provider(), provider()];
  first.desired.of(NODE, BLOCKED).add([A]);
  for (const { folder } of [first, second]) {
    expect(folder.sync()).toMatch(CANNOT);
    expect(folder.sync()).toMatch(why);
  }
  expect(first.desired.of(NODE, BLOCKED).has(A)).toBe(true);
  rmSync(parent, { recursive: true });
  // Told late is told.
  expect([first.folder.sync(), second.folder.sync()]).toEqual([undefined, undefined]);
  expect(second.desired.of(NODE, BLOCKED).has(A)).toBe(true);
});

/** Root makes one; who is not root sees one in a namespace, where what root owns is another user's. */
async function ofAnotherUser(): Promise<void> {
  mkdirSync(parent, { mode: 0o700 });
  if (process.getuid?.() === 0) {
    chownSync(parent, 65_534, 65_534);
    return;
  }
  // For a process in a namespace of its own.
  const { rolldown } = await import("rolldown");
  const built = join(parent, "../other-processes.cjs");
  const input = join(__dirname, "../../provider/deployment/other-processes.ts");
  const bundle = await rolldown({ input, platform: "node" });
  await bundle.write({ file: built, format: "cjs" });
  await bundle.close();
  const script = `
    const { DeploymentFolder } = require(process.argv[1]);
    console.log(new DeploymentFolder({ address: "127.0.0.1:40001", pid: process.pid }, process.argv[2]).sync());`;
  const { stdout } = spawnSync(
    "unshare",
    [
      "-Urm",
      "sh",
      "-c",
      'mount --bind /usr "$3" && exec "$0" -e "$1" "$2" "$3"',
      process.execPath,
      script,
      built,
      parent,
    ],
    { encoding: "utf8" },
  );
  expect(stdout).toMatch(CANNOT);
  expect(stdout).toMatch(/belongs to another user \(65534\)/);
  chmodSync(parent, 0o777);
}

it("a full disk is said, and what was not written is told later; what does not end, or went, is not believed", () => {
  const [first, second] = [provider(), provider()];
  first.desired.of(NODE, BLOCKED).add([A]);
  second.folder.sync();
  const [file = ""] = deployment().files.filter((path) => statSync(path).size > 4);
  renameSync(file, join(parent, "kept"));
  symlinkSync("/dev/full", file);
  first.desired.of(NODE, BLOCKED).add([B]);
  expect(first.folder.sync()).toMatch(/no space left/);
  rmSync(file);
  renameSync(join(parent, "kept"), file);

  appendFileSync(file, "cut o");
  expect(second.folder.sync()).toMatch(/does not end/);
  expect(first.folder.sync()).toBeUndefined();
  expect(second.folder.sync()).toBeUndefined();
  expect(second.desired.of(NODE, BLOCKED).has(B)).toBe(true);

  rmSync(file);
  expect(first.folder.sync()).toMatch(/was removed by another process/);
});

describe("notes of what a killed run sent", () => {
  const names = ["dev::web::PrefixSet::blocked"];
  const read = (wall = Date.now) => new SentFiles(process.pid, parent, { wall });
  const files = () => readdirSync(parent).map((name) => join(parent, name));
  const noted = (place: string, by = read()) => ["a", "b", "c"].filter((key) => by.noted(place, names).has(key));

  it("are whole again after a line that a full disk has cut off", () => {
    const [writer, shared] = [new SentFiles(ended(), parent), ["b", "c"]];
    writer.note("n1", names, ["a"]);
    const [file = ""] = files();
    truncateSync(file, statSync(file).size - 5);
    writer.note("n2", names, shared);
    writer.note("n3", names, shared);
    expect(["n1", "n2", "n3"].map((place) => noted(place))).toEqual([[], ["b", "c"], ["b", "c"]]);
    // Settled at one place, they stay at the other.
    read().settle("n2", names);
    expect(["n2", "n3"].map((place) => noted(place))).toEqual([[], ["b", "c"]]);
  });

  it("of staged removals outlive a run that ends in order, also for a process that goes on with the next run", () => {
    const staged = () => {
      const run = new SentFiles(process.pid, parent);
      run.note("n1", names, ["a"], true);
      run.note("n1", names, ["b"]);
      return run;
    };
    const first = staged();
    expect(noted("n1")).toEqual([]);
    first.end();
    expect(noted("n1")).toEqual(["a"]);
    read().settle("n1", names);
    expect(files()).toEqual([]);
    // What the run itself has settled is not left.
    const second = staged();
    second.settle("n1", names);
    second.end();
    expect(files()).toEqual([]);
  });

  it("count for a day, since another writer may insert the same meanwhile", () => {
    const writer = new SentFiles(ended(), parent);
    for (const place of ["n1", "n2"]) writer.note(place, names, ["a"]);
    const hours = (count: number) => () => Date.now() + count * 3_600_000;
    for (const file of files()) utimesSync(file, hours(-10)() / 1_000, hours(-10)() / 1_000);
    // The day does not begin anew.
    read().settle("n2", names);
    expect([hours(13), hours(15)].map((wall) => noted("n1", read(wall)))).toEqual([["a"], []]);
    expect(files()).toEqual([]);
  });

  it("are read from files of this user alone, and what is no note in them is left out", () => {
    new SentFiles(ended(), parent).note("n1", names, ["a"]);
    const [file = ""] = files();
    const elsewhere = join(parent, "..", "elsewhere");
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, join(parent, `sent-${ended()}-${randomUUID()}`));
    for (const text of ["[", "{}", '[1,"x"]', '[1,2,["x"],["a"]]', '[1,"x",["x"],7]'])
      writeFileSync(join(parent, `sent-${ended()}-${randomUUID()}`), text);
    expect(noted("n1")).toEqual([]);
    read().settle("n1", names);
    expect(readFileSync(elsewhere, "utf8")).not.toBe("");
    using _ = vi.spyOn(process, "getuid").mockReturnValue(4711);
    expect(() => ownFile(elsewhere)).toThrow(/belongs to another user/);
  });
});

it("what the others want is not read through a link", () => {
  const [first, second] = [provider(), provider()];
  first.desired.of(NODE, BLOCKED).add([A]);
  const { folder } = deployment();
  symlinkSync(join(folder, "nowhere"), join(folder, `${ended()}-${randomUUID()}`));
  expect(second.folder.sync()).toMatch(/is not a file/);
});
