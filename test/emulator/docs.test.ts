import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { register } from "../../provider/commands/emulator";
import {
  DIALECTS,
  deviations,
  dialect,
  type Emulator,
  type EmulatorState,
  type Packet,
  singleSwitchDialects,
  startEmulator,
} from "../../provider/emulator";
import { SWITCHES, type Switch } from "../../provider/emulator/behaviour/dialect";
import { FAULT_KINDS } from "../../provider/emulator/behaviour/fault-kinds";
import { faultSchema } from "../../provider/emulator/behaviour/fault-schema";
import { LIST_SWITCHES } from "../../provider/emulator/behaviour/list-switches";
import { REFUSAL_SWITCHES } from "../../provider/emulator/behaviour/refusal-switches";
import { SIGNALING_SWITCHES } from "../../provider/emulator/behaviour/signaling-switches";
import { WRITE_SWITCHES } from "../../provider/emulator/behaviour/write-switches";
import { isDescribed } from "../../provider/emulator/control/openapi";
import { OPERATIONS } from "../../provider/emulator/control/operations";
import { stateSchema } from "../../provider/emulator/state/state";
import { run } from "../commands/support";
import { type Answer, EDGE, fapi, signaling } from "./calls";
import { ACTIONS, MATCH_MEMBERS } from "./rule-members";

const docs = join(__dirname, "../../docs");
const page = readFileSync(join(docs, "emulator.md"), "utf8");

const row = (...cells: unknown[]) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
const code = (text: unknown) => `\`${text}\``;
const head = (...titles: string[]) => [row(...titles), row(...titles.map(() => "---"))];

const EDGE_STATE: EmulatorState = {
  arenas: {
    edge: {
      sets: { blocked: { "192.0.2.0/24": 1, "192.0.2.7/32": 1, "203.0.113.9/32": 7 }, empty: {} },
      profiles: {
        web: {
          rules: [{ id: 30, name: "SYN", match: [{ protocol: "tcp" }], actions: ["drop"] }],
          marks: {
            shost: [
              { address: "203.0.113.9", id: 30, value: 4, lifetime: 60, age: 5 },
              { address: "203.0.113.8", id: 30, expiredFor: 1 },
            ],
            sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 30, value: 4, lifetime: 60 }],
            conn: [
              {
                source: "203.0.113.9",
                destination: "198.51.100.7",
                sourcePort: 1024,
                destinationPort: 443,
                protocol: "tcp",
                id: 30,
              },
            ],
          },
        },
      },
    },
  },
  signaling: {
    clients: [
      { clientId: "c1", secretKey: "s1", prefixes: ["198.51.100.0/24"], active: ["198.51.100.7"] },
      { clientId: "c2", secretKey: "s2", prefixes: ["192.0.2.0/24"] },
    ],
  },
};

const C1 = { clientId: "c1", secretKey: "s1" };
const C2 = { clientId: "c2", secretKey: "s2" };
const marks = (type: string) => (it: Emulator) => fapi(it, { url: "mark://edge/web", cmd: "list", type }, EDGE);
const onSet = (set: string, cmd: string) => (it: Emulator) => fapi(it, { url: `prefixset://edge/${set}`, cmd });

/** Requests whose answers the settings of switches change, and the switches that can do so. */
const SAMPLES: { of: object; request: string; ask: (emulator: Emulator) => Promise<Answer> }[] = [
  { of: LIST_SWITCHES, request: "list of a set", ask: onSet("blocked", "list") },
  { of: LIST_SWITCHES, request: "list of an empty set", ask: onSet("empty", "list") },
  { of: LIST_SWITCHES, request: "list of an arena", ask: (it) => fapi(it, { url: "arena://edge", cmd: "list" }) },
  {
    of: LIST_SWITCHES,
    request: "list of a profile",
    ask: (it) => fapi(it, { url: "profile://edge/web", cmd: "list" }),
  },
  { of: LIST_SWITCHES, request: "list of shost", ask: marks("shost") },
  { of: LIST_SWITCHES, request: "list of sdhost", ask: marks("sdhost") },
  { of: LIST_SWITCHES, request: "list of conn", ask: marks("conn") },
  { of: WRITE_SWITCHES, request: "commit of nothing", ask: onSet("empty", "commit") },
  { of: REFUSAL_SWITCHES, request: "list of an unknown set", ask: onSet("none", "list") },
  {
    of: REFUSAL_SWITCHES,
    request: "insert with host bits",
    ask: (it) => fapi(it, { url: "prefixset://edge/empty", cmd: "insert", data: [{ p: "192.0.2.1/24", v: 1 }] }),
  },
  {
    of: REFUSAL_SWITCHES,
    request: "list of marks without User-Arena",
    ask: (it) => fapi(it, { url: "mark://edge/web", cmd: "list", type: "shost" }),
  },
  { of: SIGNALING_SWITCHES, request: "status of signaling", ask: (it) => signaling(it.signalingUrl, C1, "status") },
  {
    of: SIGNALING_SWITCHES,
    request: "status when nothing is active",
    ask: (it) => signaling(it.signalingUrl, C2, "status"),
  },
  {
    of: SIGNALING_SWITCHES,
    request: "status with a wrong secret",
    ask: (it) => signaling(it.signalingUrl, { ...C1, secretKey: "wrong" }, "status"),
  },
  {
    of: SIGNALING_SWITCHES,
    request: "start of what is active",
    ask: (it) => signaling(it.signalingUrl, C1, "start", ["198.51.100.7/32"]),
  },
  {
    of: SIGNALING_SWITCHES,
    request: "start",
    ask: async (it) => {
      await signaling(it.signalingUrl, C1, "stop", ["198.51.100.9/32"]);
      return signaling(it.signalingUrl, C1, "start", ["198.51.100.9/32"]);
    },
  },
];

/** Settings that only give a member another name: one of each is sample enough. */
const OTHER_NAMES =
  /^listEnvelope: (?!array|data\.items|keyed|result$|0|\{)|^(profiles|rules|marks)Format: |^range\w+Key: |^prefixKey: (?!prefix)|^valueKey: (?!value)|^lengthKey: (?!mask)/;

/** An answer as it is sent: status and body. */
const sent = async (emulator: Emulator, ask: (emulator: Emulator) => Promise<Answer>) => {
  const { status, text } = await ask(emulator);
  return `${status} ${text.replaceAll("\n", "↵")}`.trim();
};

/** Each answer with nothing set, and each that a setting changes, as the emulator sends it. */
async function samples(): Promise<string[]> {
  await using emulator = await startEmulator({ state: EDGE_STATE });
  // Ages are counted from the time at which a state is loaded.
  emulator.clock.freeze("2026-12-01T00:00:00Z");
  emulator.seed(EDGE_STATE);
  const rows: string[] = [];
  for (const { of, request, ask } of SAMPLES) {
    emulator.setDialect({});
    const usual = await sent(emulator, ask);
    rows.push(row(request, "", code(usual)));
    // The forms of each kind of refusal are those of errorForm.
    const own = singleSwitchDialects().filter(
      ({ name, setting }) =>
        name in of &&
        (of !== REFUSAL_SWITCHES || name.endsWith("Status") || (name === "errorForm" && request.includes("unknown"))) &&
        !OTHER_NAMES.test(`${name}: ${setting}`),
    );
    for (const { name, setting } of own) {
      const settings = { ...(name === "lengthForm" && { lengthKey: "mask" }), [name]: setting };
      emulator.setDialect(settings);
      const answer = await sent(emulator, ask);
      const told = Object.entries(settings).map(([key, value]) => code(`${key}: ${value}`));
      if (answer !== usual) rows.push(row("", told.join(", "), code(answer)));
    }
  }
  return [...head("request", "setting", "answer"), ...rows];
}

/** The command and those below it, with every option. */
/** The first sentence of a help text. */
async function about(name: string): Promise<string> {
  const [, text = ""] = (await run([name, "--help"])).out.split("\n\n");
  return text;
}

async function commandLine(): Promise<string> {
  const program = new Command();
  register(program, { out: () => {}, err: () => {}, env: {}, stop: new AbortController().signal });
  const below = (command: Command, name: string): string[] => [
    `### \`${name}\``,
    `${command.description()}.`,
    ...(command.options.length > 0
      ? [
          [
            ...head("option", "default", "meaning"),
            ...command.options.map(({ flags, defaultValue, description }) =>
              row(code(flags), defaultValue === undefined ? "" : code(defaultValue), description),
            ),
          ].join("\n"),
        ]
      : []),
    ...command.commands.flatMap((each) => below(each, `${name} ${each.name()}`)),
  ];
  for (const each of program.commands) each.description(await about(each.name()));
  return program.commands.flatMap((each) => below(each, each.name())).join("\n\n");
}

const words = (vocabulary: Record<string, { about: string; example: unknown }>) =>
  Object.entries(vocabulary).map(([name, { about, example }]) =>
    row(code(name), about, code(JSON.stringify(example).replaceAll(/"(\w+)"/g, "$1"))),
  );

async function reference(): Promise<string> {
  const switches = Object.entries(SWITCHES).map(([name, { schema, alternatives, refusals }]: [string, Switch]) =>
    row(
      code(name),
      code(schema.parse(undefined)),
      [...alternatives, ...(refusals ?? [])].map(code).join(", "),
      z.globalRegistry.get(schema)?.description,
    ),
  );
  const dialects = Object.entries(DIALECTS).map(([name, it]) => row(code(name), code(JSON.stringify(it))));
  const faults = Object.entries(FAULT_KINDS).map(([name, { about }]) => row(code(name), about));
  const parameters = Object.entries(faultSchema.shape).map(([name, it]) =>
    row(code(name), z.globalRegistry.get(it)?.description),
  );
  const routes = OPERATIONS.filter(isDescribed).map(({ method, path, summary }) =>
    row(code(`${method} ${path}`), summary),
  );
  return `${[
    "# Reference of the emulator",
    "Made from the code; a test keeps it true.",
    "## Dialect: how open points of the contract are settled",
    "`setDialect({ … })` in a test, `PUT /dialect` over the control API; `--dialect NAME` for the command, where `seed:N` draws every switch by chance and a JSON file names switches, alone or under `dialect`.",
    [...head("switch", "default", "others", "meaning"), ...switches].join("\n"),
    "Named dialects:",
    [...head("name", "switches"), ...dialects].join("\n"),
    "### Answers as they are sent",
    "Each request with nothing set, and with each setting that changes the look of its answer.",
    (await samples()).join("\n"),
    "## Faults",
    "`fail({ … })` in a test, `POST /faults` over the control API.",
    [...head("kind", "what happens"), ...faults].join("\n"),
    [...head("member", "meaning"), ...parameters].join("\n"),
    "## Rules",
    "A rule of a profile has `match`, a list of matches that must all hold, and `actions` in their order; a match holds when all of its members do.",
    [...head("match", "holds when", "example"), ...words(MATCH_MEMBERS)].join("\n"),
    [...head("action", "what happens", "example"), ...words(ACTIONS)].join("\n"),
    "Marks have the id of their rule unless `id` says another, the value of `set`, the former one and `add` for each packet (1), or at least `max`, and end `lifetime` seconds after the last packet. Comparisons of values are a number, or some of `eq`, `ne`, `lt`, `le`, `gt` and `ge`.",
    "## Command line",
    await commandLine(),
    "## Control API",
    [...head("operation", "meaning"), ...routes].join("\n"),
  ].join("\n\n")}\n`;
}

test("the reference is that of the code", async () => {
  const made = await reference();
  expect(made).not.toMatch(/undefined|^\.$/m);
  await expect(made).toMatchFileSnapshot(join(docs, "reference", "emulator.md"));
});

test("the names of members of marks that the reference tells are those that are sent", async () => {
  const about = z.globalRegistry.get(SWITCHES.markKeys.schema)?.description ?? "";
  const told = Object.fromEntries(
    ["Short", "Long"].map((form) => {
      const [, names = ""] = new RegExp(`${form}: (.*?)\\.`).exec(about) ?? [];
      return [
        form.toLowerCase(),
        new Set(names.replaceAll(/\ba (?:number|name)\b|\b(?:or|and|of connections)\b/g, "").match(/\w+/g)),
      ];
    }),
  );
  await using emulator = await startEmulator({ state: EDGE_STATE });
  for (const markKeys of ["short", "long"] as const) {
    emulator.setDialect({ markKeys });
    const sent = new Set<string>();
    for (const type of ["shost", "sdhost", "conn"]) {
      const { data } = z
        .object({ data: z.array(z.record(z.string(), z.unknown())) })
        .parse((await marks(type)(emulator)).json);
      for (const record of data) for (const name of Object.keys(record)) sent.add(name);
    }
    expect([...sent].toSorted(), markKeys).toEqual([...(told[markKeys] ?? [])].toSorted());
  }
});

const from = "203.0.113.9";
const tcp = { from, to: "198.51.100.7", proto: "tcp", dport: 443, flags: ["syn"] } as const;
const dns = { from: "192.0.2.200", to: "198.51.100.8", proto: "udp", sport: 53, dport: 53, length: 1200 } as const;

/** For each word of matches a packet for which its example holds, and one for which it does not. */
const PACKETS: Record<keyof typeof MATCH_MEMBERS, [hit: Packet, miss: Packet]> = {
  source: [tcp, dns],
  destination: [tcp, dns],
  protocol: [dns, { ...dns, proto: "gre" }],
  sourcePort: [dns, tcp],
  destinationPort: [{ ...tcp, dport: 8080 }, dns],
  flags: [tcp, { ...tcp, flags: ["syn", "ack"] }],
  length: [dns, tcp],
  set: [tcp, { ...tcp, from: "192.0.2.1" }],
  mark: [tcp, dns],
  rate: [{ ...tcp, count: 3 }, dns],
  not: [dns, tcp],
};

test.each(Object.entries(MATCH_MEMBERS))(
  "the example of the match %s holds as the reference says",
  async (name, { example }) => {
    const [hit, miss] = PACKETS[name as keyof typeof MATCH_MEMBERS];
    const profile = {
      prefixes: ["198.51.100.0/24"],
      rules: [{ id: 1, match: [example], actions: ["drop" as const] }],
      marks: { shost: [{ address: from, id: 1, value: 11 }] },
    };
    const sets = { blocked: { "203.0.113.0/24": 2, "192.0.2.0/24": 1 } };
    const verdict = async (packet: Packet) => {
      await using emulator = await startEmulator({ state: { arenas: { edge: { sets, profiles: { web: profile } } } } });
      return emulator.receive([packet, packet]).at(-1)?.verdict;
    };
    expect([await verdict(hit), await verdict(miss)]).toEqual(["drop", "accept"]);
  },
);

test("the examples of actions do what the reference says", async () => {
  const actions = Object.values(ACTIONS).map(({ example }) => example);
  const rules = actions
    .map((action, at) => ({ id: at + 1, actions: [action] }))
    .filter(({ actions: [it] }) => it !== "accept");
  const walk = rules.toSorted((a, b) => Number(a.actions[0] === "drop") - Number(b.actions[0] === "drop"));
  await using emulator = await startEmulator({
    state: { arenas: { edge: { profiles: { web: { prefixes: ["198.51.100.0/24"], rules: walk } } } } },
  });
  const [verdict] = emulator.receive([tcp]);
  expect([verdict?.verdict, verdict?.marks.map(({ type, value }) => [type, value])]).toEqual([
    "drop",
    [
      ["shost", 1],
      ["dhost", 7],
      ["dhost", 1],
      ["sdhost", 3],
      ["conn", 1],
    ],
  ]);
  expect(verdict?.marks.at(-1)?.id).toBe(70001);
  expect(emulator.counters("profile://edge/web").filter(Boolean)).toEqual([{ packets: 1, bytes: 64 }]);
});

test("the example of the documentation is one that runs", () => {
  const source = readFileSync(join(__dirname, "example.test.ts"), "utf8");
  const example = /\/\/ <example>\n(.*?)\n *\/\/ <\/example>/s.exec(source)?.[1]?.replace(/^ {2}/gm, "");
  expect(example).toContain("emulator.fail");
  expect(page).toContain(`${example}\n\`\`\``);
  const comment = readFileSync(join(__dirname, "../../provider/emulator/emulator.ts"), "utf8");
  const [, ofClass = ""] = /```ts\n(.*?)\n \* ```/s.exec(comment) ?? [];
  for (const line of ofClass.split("\n")) expect(example).toContain(line.replace(/^ \* |; {3}.*/g, ""));
});

test("the state of the documentation is valid", () => {
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  expect(stateSchema.safeParse(parse(yaml)).error).toBeUndefined();
});

test("the dialect of the documentation is one that deviates in all that it names", () => {
  const [, source = ""] = /```json\n(\{ "dialect".*?)```/s.exec(page) ?? [];
  const { dialect: settings } = JSON.parse(source);
  expect(deviations(dialect(settings))).toEqual(settings);
});
