import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { startOnOwnPort } from "../support/ports";
import { control, fapi, signaling } from "./calls";

const folder = useFolder();

/** Runs a command line until it ends, or until it says something and is then used and stopped. */
async function run(args: string[], whenReady?: (line: string) => Promise<void>, env: Record<string, string> = {}) {
  const stop = new AbortController();
  const [out, err]: [string[], string[]] = [[], []];
  let say: (line: string) => void = () => {};
  const ready = new Promise<string>((resolve) => {
    say = resolve;
  });
  const io = {
    out: (text: string) => {
      out.push(text);
      say(text);
    },
    err: (text: string) => void err.push(text),
    env,
    stop: stop.signal,
  };
  const code = main(args, io);
  if (whenReady) {
    await whenReady(await Promise.race([ready, code.then((ended) => `ended with ${ended}: ${err.join("")}`)]));
    stop.abort();
  }
  return { code: await code, out: out.join(""), err: err.join("") };
}

test("the ready line is JSON with all that a client needs; a signal stops cleanly", async () => {
  const journal = join(folder, "journal.ndjson");
  let endpoint = "";
  const { code } = await run(["emulator", "--json", "--journal", journal, "--latency", "1ms"], async (line) => {
    const info = JSON.parse(line);
    endpoint = info.endpoint;
    expect(Object.keys(info)).toEqual([
      "endpoint",
      "signalingUrl",
      "testSignalingUrl",
      "control",
      "clients",
      "testClients",
      "dialect",
    ]);
    expect(info.testClients).toHaveLength(2);
    expect(info.clients[0]).toMatchObject({
      clientId: "client-a",
      secretKey: expect.any(String),
      prefixes: expect.any(Array),
    });
    expect((await fapi(info, { url: "prefixset://edge/blocked", cmd: "list" })).status).toBe(200);
    expect((await signaling(info.signalingUrl, info.clients[0], "status")).json).toEqual({ IP_prefix: [] });
    expect((await signaling(info.testSignalingUrl, info.testClients[1], "status")).json).toEqual({ IP_prefix: [] });
    expect((await control(info, "GET", "/info")).json).toEqual(info);
  });
  expect(code).toBe(0);
  expect((await stat(journal)).mode & 0o777).toBe(0o600);
  await expect(fetch(endpoint)).rejects.toThrow();
  const lines = (await readFile(journal, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ cmd, op, status }) => [cmd ?? op, status])).toEqual([
    ["list", 200],
    ["status", 200],
    ["status", 200],
  ]);
});

test("the line for people names the addresses, and a dialect by seed is printed", async () => {
  const args = ["emulator", "--dialect", "seed:7", "--seed", "3", "--persist", join(folder, "line.json")];
  const { out, err } = await run(args, async () => {});
  expect(out).toMatch(
    /^emulator ready: node API http:\/\/127\.0\.0\.1:\d+\/fapi, signaling .*seed 3, dialect seed:7, kept in .*line\.json\n$/,
  );
  expect(err).toMatch(/^dialect seed:7: \{.*\}\n$/);
});

test("a folder of states is one state; one without any is the default, which is said", async () => {
  const states = join(folder, "states");
  await mkdir(states);
  const list = (set: string) => ({ url: `prefixset://${set}`, cmd: "list" });
  const empty = await run(["emulator", "--json", "--state", states], async (line) => {
    expect((await fapi(JSON.parse(line), list("edge/partners"))).json).toEqual({
      data: [{ p: "203.0.113.128/25", v: 7 }],
    });
  });
  expect(empty.err).toBe(`${states} has no state in JSON or YAML: the emulator has its default state.\n`);

  await writeFile(join(states, "20-mail.yml"), "arenas: { edge: { sets: { mail: { 198.51.100.0/24: 2 } } } }\n");
  await writeFile(
    join(states, "10-edge.json"),
    JSON.stringify({
      arenas: { edge: { sets: { mail: { "192.0.2.0/24": 1 }, bad: {} } } },
      signaling: { clients: [{ clientId: "one", secretKey: "secret-one", prefixes: ["192.0.2.0/24"] }] },
    }),
  );
  await writeFile(
    join(states, "30-two.yaml"),
    "signaling: { clients: [{ clientId: two, secretKey: secret-two, prefixes: [198.51.100.0/24] }] }\n",
  );
  await writeFile(join(states, "README.md"), "Not a state.\n");
  const both = await run(["emulator", "--json", "--state", states], async (line) => {
    const info = JSON.parse(line);
    expect((await fapi(info, list("edge/mail"))).json).toEqual({
      data: [
        { p: "192.0.2.0/24", v: 1 },
        { p: "198.51.100.0/24", v: 2 },
      ],
    });
    expect((await fapi(info, list("edge/bad"))).json).toEqual({ data: [] });
    expect(info.clients.map(({ clientId }: { clientId: string }) => clientId)).toEqual(["one", "two"]);
  });
  expect([both.code, both.err]).toEqual([0, ""]);

  await writeFile(
    join(states, "40-late.json"),
    '{ "arenas": { "edge": { "sets": { "mail": { "192.0.2.0/24": 9 } } } } }',
  );
  expect(await run(["emulator", "--state", states])).toMatchObject({
    code: 2,
    err: `${join(states, "10-edge.json")} and ${join(states, "40-late.json")} have different values at arenas.edge.sets.mail.192.0.2.0/24.\n`,
  });
});

test("credentials and https on request", async () => {
  await run(["emulator", "--json", "--auth", "basic:operator:canary"], async (line) => {
    const list = { url: "arena://edge", cmd: "list" };
    expect((await fapi(JSON.parse(line), list)).status).toBe(401);
    const authorization = `Basic ${btoa("operator:canary")}`;
    expect((await fapi(JSON.parse(line), list, { authorization })).status).toBe(200);
  });
  await run(["emulator", "--json", "--tls", "mutual"], async (line) => {
    const { endpoint, tls } = JSON.parse(line);
    const answer = await new Promise((resolve, reject) => {
      request(`${endpoint}/fapi`, { ...tls, agent: false }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
    expect(answer).toBe(405);
  });
});

test.each([
  [["emulator", "--auth", "canary"], /bearer:TOKEN/],
  [["emulator", "--tls", "maybe"], /mutual/],
  [["emulator", "--port", "many"], /--port/],
  [["emulator", "--dialect", "klingon"], /seed:N/],
  [["emulator", "--latency", "soon"], /duration/],
  [["emulator", "--latency", "5"], /"5" is not a duration, since it has no unit: write "5ms"/],
  [["emulator", "--pid-file", "z.pid"], /--pid-file goes with --background/],
  [["emulator", "--nonsense"], /--nonsense/],
  [["capture", "arena://edge"], /--endpoint/],
  [["capture", "--endpoint", "http://127.0.0.1:1", "mark://edge/web"], /arena:\/\/edge/],
  [["nonsense"], /nonsense/],
])("%j is wrong use", async (args, reason) => {
  expect(await run(args)).toMatchObject({ code: 2, err: expect.stringMatching(reason) });
});

test("a wrong or unreadable file is wrong use; a taken port is a failure", async () => {
  const file = join(folder, "broken.yaml");
  await writeFile(file, "arenas: { edge: { sets: { blocked: { 192.0.2.1/24: 1 } } } }\n");
  expect(await run(["emulator", "--state", file])).toMatchObject({
    code: 2,
    err: expect.stringContaining("host bits"),
  });
  for (const [flag, name, reason] of [
    ["--state", "none.yaml", "there is no such file or folder (ENOENT). Check the path."],
    [
      "--journal",
      "none/journal.ndjson",
      "its folder does not exist (ENOENT). Check the path; folders are not created.",
    ],
  ] as const) {
    const path = join(folder, name);
    expect(await run(["emulator", flag, path])).toEqual({
      code: 2,
      out: "",
      err: `${path}: ${reason}\n`,
    });
  }
  expect(await run(["emulator", "--journal", folder])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is a folder, and a file is needed (EISDIR)"),
  });
  await using emulator = await startEmulator();
  // Of a port that is taken one hears before the state is read, which may take long.
  const unread = ["--state", join(folder, "none.yaml")];
  for (const [flag, { port }] of [
    ["--port", new URL(emulator.endpoint)],
    ["--control-port", new URL(emulator.control)],
  ] as const) {
    expect(await run(["emulator", flag, port, ...unread])).toMatchObject({
      code: 1,
      err: `Port ${port} is in use: another process listens on 127.0.0.1:${port} (EADDRINUSE). End it, or choose another port; 0 takes a free one.\n`,
    });
  }
});

test("on all addresses it warns, prints a usable address, and refuses a weak token", async () => {
  const open = ["emulator", "--json", "--host", "0.0.0.0"];
  const { err } = await run([...open, "--control-token", "sixteen-letters-"], async (line) => {
    const info = JSON.parse(line);
    expect(new URL(info.endpoint).hostname).toBe("127.0.0.1");
    expect((await fapi(info, { url: "arena://edge", cmd: "list" })).status).toBe(200);
    expect((await control(info, "GET", "/state")).status).toBe(401);
  });
  expect(err).toMatch(/^warning: the emulator listens on all addresses of this machine\. /);
  const short = await run([...open, "--control-token", "canary"]);
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining("must have at least 16 characters") });
  expect(short.err).not.toContain("canary");
});

test("who calls while the state is read gets the answer when it is there", async () => {
  const before = await startOnOwnPort();
  await before.close();
  let read: (state: EmulatorState) => void = () => {};
  let starting: Promise<Emulator> | undefined;
  await new Promise<void>((reads) => {
    const state = () => {
      reads();
      return new Promise<EmulatorState>((resolve) => {
        read = resolve;
      });
    };
    starting = startEmulator({ port: Number(new URL(before.endpoint).port), state });
  });
  const early = fapi(before, { url: "prefixset://core/bad", cmd: "list" });
  read({ arenas: { core: { sets: { bad: { "192.0.2.0/24": 5 } } } } });
  expect((await early).json).toEqual({ data: [{ p: "192.0.2.0/24", v: 5 }] });
  await (await starting)?.close();
});

test("the version is the package's", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

const original: EmulatorState = {
  arenas: {
    edge: {
      sets: { blocked: { "192.0.2.0/24": 1, "2001:db8::/32": 9 }, listed: { "198.51.100.0/24": 3 }, hidden: {} },
      profiles: {
        web: {
          prefixes: ["203.0.113.0/24"],
          sets: { blocked: { "203.0.113.128/25": 2 } },
          rules: [
            { id: 5, name: "local", match: [{ set: { name: "blocked" } }], actions: ["drop"] },
            { id: 6, extra: { table: "prefixset://edge/listed", prio: 7 } },
            { name: "by hand", extra: { id: "r-9", action: ["drop", "prefixset://edge/nowhere"] } },
          ],
          marks: {
            shost: [{ address: "203.0.113.45", id: 5, value: 12, lifetime: 3600 }],
            dhost: [{ address: "2001:db8::1", id: 6, value: 1 }],
            sdhost: [{ source: "203.0.113.45", destination: "198.51.100.1", id: 7, value: 2, lifetime: 60 }],
            conn: [
              {
                source: "203.0.113.45",
                destination: "198.51.100.1",
                sourcePort: 1,
                destinationPort: 443,
                protocol: "tcp",
                id: 8,
                value: 3,
              },
            ],
          },
          extra: { state: "on" },
        },
        mail: {},
      },
    },
  },
};

test("a captured node starts an emulator that answers every list with the same content", async () => {
  await using node = await startEmulator({ state: original });
  const args = ["capture", "--endpoint", node.endpoint, "--output", "yaml", "arena://edge", "prefixset://edge/hidden"];
  const { code, out, err } = await run(args);
  expect([code, err]).toEqual([0, ""]);

  const file = join(folder, "captured.yaml");
  await writeFile(file, out);
  await run(["emulator", "--json", "--state", file], async (line) => {
    const copy = JSON.parse(line);
    const lists = [
      { url: "arena://edge" },
      ...["blocked", "listed", "hidden", "web/blocked"].map((set) => ({ url: `prefixset://edge/${set}` })),
      ...["web", "mail"].flatMap((profile) => [
        { url: `profile://edge/${profile}` },
        ...["shost", "dhost", "sdhost", "conn"].map((type) => ({ url: `mark://edge/${profile}`, type })),
      ]),
    ];
    for (const list of lists) {
      const [there, here] = await Promise.all([node, copy].map((it) => fapi(it, { ...list, cmd: "list" })));
      expect(withoutSeconds(here?.json), list.url).toEqual(withoutSeconds(there?.json));
    }
  });
  expect(node.requests({ url: "prefixset://edge/nowhere" })).toHaveLength(1);
});

test("without marks, as JSON, from any dialect", async () => {
  await using node = await startEmulator({ state: original, dialect: "verbose", auth: { bearer: "canary" } });
  const env = { PACKETFILTER_ENDPOINT: node.endpoint };
  const args = ["capture", "edge", "--marks", "none", "--output", "json", "--header", "Authorization: Bearer canary"];
  const { code, out } = await run(args, undefined, env);
  expect(code).toBe(0);
  const state = JSON.parse(out);
  expect(state.arenas.edge.sets).toEqual({
    blocked: { "192.0.2.0/24": 1, "2001:db8::/32": 9 },
    listed: { "198.51.100.0/24": 3 },
  });
  expect(state.arenas.edge.profiles.web).not.toHaveProperty("marks");
  expect(out).not.toContain("canary");
  const headers = { PACKETFILTER_HEADERS: JSON.stringify({ authorization: "Bearer wrong" }) };
  expect((await run(["capture", "edge"], undefined, { ...env, ...headers })).code).toBe(1);
});

test("from a node that needs settings, in the file that a probe writes, and at its pace", async () => {
  const dialect = { listEnvelope: "payload", prefixKey: "subnet", markPace: "table" as const };
  await using node = await startEmulator({ state: original, dialect });
  const args = ["capture", "--endpoint", node.endpoint, "edge", "--output", "json", "--mark-pace", "off"];
  expect(await run(args)).toMatchObject({ code: 1, err: expect.stringContaining("Describe it by answers.path.") });
  const file = join(folder, "node.json");
  await writeFile(
    file,
    JSON.stringify({ node: { answers: { path: "payload", names: { prefix: "subnet" } } }, dialect }),
  );
  const { code, out, err } = await run([...args, "--settings", file]);
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out).arenas.edge.sets.listed).toEqual({ "198.51.100.0/24": 3 });
  await writeFile(file, "[]");
  for (const [flags, reason] of [
    [["--settings", file], "must be a JSON object with members of a node"],
    [["--mark-pause-ms", "1e4"], '--mark-pause-ms must be a whole number, it is "1e4"'],
    [["--mark-pause-ms", "100"], "`markPauseMs` must be at least 3000"],
    [["--mark-pace", "slow"], '`markPace` must be "table", "node" or "off"'],
  ] as const) {
    const wrong = ["capture", "--endpoint", node.endpoint, "edge", ...flags];
    expect(await run(wrong)).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
  }
});

/** Lifetimes run on while a node is captured. */
function withoutSeconds(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value) => (key === "t" ? Math.round(value / 10) : value)));
}
