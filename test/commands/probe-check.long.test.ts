import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DialectSettings, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { run } from "./support";

const [BLOCKED, HELD] = ["prefixset://edge/blocked", { "10.1.0.0/16": 5 }];
const OWN = "198.51.100.0/24";

const folder = useFolder();

/** Checks a file with these settings against a node in use that answers so. */
async function checked(settings: object, dialect: DialectSettings, args: readonly string[]) {
  await using node = await startEmulator({
    state: {
      arenas: { edge: { sets: { blocked: HELD } }, core: { profiles: { clean: {}, web: {} } } },
      signaling: {
        clients: [
          {
            clientId: "c1",
            secretKey: "s1",
            prefixes: [OWN],
            arena: "core",
            idleProfile: "clean",
            activeProfile: "web",
          },
        ],
      },
    },
    dialect,
  });
  await writeFile(join(folder, "node.json"), JSON.stringify(settings));
  const env = {
    PACKETFILTER_ENDPOINT: node.endpoint,
    PACKETFILTER_SIGNALING_URL: node.signalingUrl,
    PACKETFILTER_CLIENT_ID: "c1",
    PACKETFILTER_SECRET_KEY: "s1",
  };
  const { code, out, err } = await run(["probe", BLOCKED, "--check", "node.json", ...args], { env, folder });
  expect(node.prefixSet(BLOCKED)).toEqual({ applied: HELD, staged: HELD });
  expect(node.signalings.c1 ?? []).toEqual([]);
  expect(await readdir(folder)).toEqual(["node.json"]);
  return { code, err, rows: out.trim().split("\n"), commands: new Set(node.journal.map(({ cmd }) => cmd)) };
}

const ODD: DialectSettings = { listEnvelope: "payload", prefixKey: "subnet", valueKey: "weight", statusName: "active" };
const FOUND = {
  node: { answers: { path: { prefixset: "payload" }, names: { prefix: "subnet", value: "weight" } } },
  receiver: { answers: { name: "active" } },
  dialect: {},
};

test("what holds is a table, and nothing but lists is sent without --write and --signaling", async () => {
  const { code, err, rows, commands } = await checked(FOUND, { ...ODD, profilesEnvelope: "data" }, []);
  expect({ code, err, rows }).toEqual({
    code: 0,
    err: "",
    rows: ["list of prefixset://edge/blocked  held      1 read", "list of arena://edge              held      0 read"],
  });
  expect(commands).toEqual(new Set(["list"]));
});

test("with --write and --signaling one entry and one signaling are changed and taken back", async () => {
  const { code, rows } = await checked(FOUND, { ...ODD, profilesEnvelope: "data" }, ["--write", "--signaling", OWN]);
  expect({ code, rows: rows.slice(2) }).toEqual({
    code: 0,
    rows: [
      "insert and delete in prefixset://edge/blocked  held      203.0.113.0/24 was listed, and is gone",
      "start and stop of 198.51.100.0/24              held      the status showed it, and does not any more",
    ],
  });
});

test("what does not hold is named with what was seen, and ends with 3", async () => {
  const { code, err, rows } = await checked({ node: {}, receiver: {} }, { ...ODD, profilesEnvelope: "data" }, [
    "--write",
    "--signaling",
    OWN,
  ]);
  expect({ code, err }).toEqual({ code: 3, err: "3 of 4 do not hold with node.json.\n" });
  expect(rows[0]).toMatch(/^list of prefixset:\/\/edge\/blocked {15}not held {2}.*"payload"/);
  expect(rows[1]).toMatch(/^list of arena:\/\/edge {27}held/);
  expect(rows[2]).toMatch(/^insert and delete in prefixset:\/\/edge\/blocked {2}not held/);
  expect(rows[3]).toMatch(/^start and stop of 198\.51\.100\.0\/24 {14}not held {2}/);
});

test("a commit that takes longer than the settings say does not hold", async () => {
  const { code, rows } = await checked({ node: {} }, { commitDelay: 1_500 }, ["--write"]);
  expect(code).toBe(3);
  expect(rows[2]).toMatch(/not held {2}a commit took \d+ ms to show, more than 1000, and commitDelayMs is 0: set it$/);
});

test.each([2, 4, 6, 8])(
  "a check that is told to end at request %i takes back what it did, and calls nothing not held",
  async (at) => {
    const stop = new AbortController();
    let requests = 0;
    await using node = await startEmulator({
      state: { arenas: { edge: { sets: { blocked: HELD } } } },
      onRequest: () => {
        requests += 1;
        if (requests === at) stop.abort();
      },
    });
    await writeFile(join(folder, "node.json"), '{"node":{}}');
    const args = ["probe", BLOCKED, "--check", "node.json", "--write"];
    const env = { PACKETFILTER_ENDPOINT: node.endpoint };
    const { code, out, err } = await run(args, { env, folder, stop: stop.signal });
    expect({ code, err }).toEqual({ code: 143, err: "The check ended early: it received a signal to end\n" });
    expect(out).not.toContain("not held");
    expect(node.prefixSet(BLOCKED)).toEqual({ applied: HELD, staged: HELD });
    expect(await readdir(folder)).toEqual(["node.json"]);
  },
);
