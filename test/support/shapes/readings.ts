import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { captureNode } from "../../../provider/capture/capture";
import { type ListedEntry, NodeClient, type NodeOptions, parseUrl } from "../../../provider/client";
import type { ForwardRecord } from "../../../provider/forwarder/record/record";
import { run } from "../../commands/support";
import { forwardOnce } from "../../forwarder/support/forward";
import { type Content, type NodeShape, SET } from "./shape";

/** Result of one way to read a node: its content, or the message to the user. */
type Told<T> = T | string;

/** A node and the members by which it is read. */
export type Target = Pick<NodeOptions, "endpoint"> & NodeShape["settings"];

const url = parseUrl(SET) as Parameters<NodeClient["listPrefixSet"]>[0];
const MARKS = { arena: "edge", profile: "web", type: "shost" } as const;

/** Everything, by the client. What it could not read is what it says instead. */
export async function byClient(target: Target): Promise<Reading> {
  const client = new NodeClient({ ...target, markPace: "off" }, { maxTries: 1 });
  const read = <T>(list: Promise<T>) => list.catch((error: unknown) => told(target, error));
  const all = (list: Promise<readonly object[]>) => read(list.then((records) => records.map(plain)));
  const reading = {
    entries: await read(client.listPrefixSet(url).then(entriesOf)),
    profiles: await all(client.listProfiles("edge")),
    rules: await all(client.listRules("edge", "web")),
    marks: await all(client.listMarks(MARKS.arena, MARKS.profile, MARKS.type)),
  };
  await client.close();
  return reading as Reading;
}

/** Each part of a content, or what is said instead. */
export type Reading = { readonly [Part in keyof Content]: Content[Part] | string };

export function entriesOf(list: readonly ListedEntry[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ prefix, value }) => [prefix.toString(), value]));
}

/** Everything, by the command `list`. */
export async function byList(target: Target): Promise<Told<Content>> {
  await using folder = await settingsOf(target);
  const rows: Record<string, unknown>[][] = [];
  for (const args of [[SET], ["arena://edge"], ["profile://edge/web"], ["mark://edge/web", "--type", "shost"]]) {
    const { code, out, err } = await run(["list", ...args, "--settings", "node.json", "--output", "json"], folder);
    if (code !== 0) return told(target, err);
    rows.push(JSON.parse(out));
  }
  const [entries = [], profiles = [], rules = [], marks = []] = rows;
  const pairs = entries.map(({ prefix, value }) => [prefix, value]);
  return { entries: Object.fromEntries(pairs), profiles, rules, marks: marks as never };
}

/** Everything, as a state for an emulator. */
export async function byCapture(target: Target): Promise<Told<Content>> {
  try {
    const state = await captureNode({ ...target, markPace: "off" }, { resources: ["edge", SET] });
    const { sets = {}, profiles = {} } = state.arenas?.edge ?? {};
    const { rules = [], marks = {} } = profiles.web ?? {};
    return {
      entries: Object.fromEntries(Object.entries(sets.blocked ?? {})),
      profiles: Object.entries(profiles).map(([name, { extra }]) => plain({ name, extra })),
      rules: rules.map(plain),
      marks: (marks.shost ?? []).map(plain) as never,
    };
  } catch (error) {
    return told(target, error);
  }
}

/** The entries, by the command `import`. */
export async function byImport(target: Target): Promise<Told<Content["entries"]>> {
  await using folder = await settingsOf(target);
  const { code, err } = await run(["import", SET, "--settings", "node.json", "--out", "out"], folder);
  if (code !== 0) return told(target, err);
  const { resources } = JSON.parse(await readFile(join(folder.folder, "out", "import.json"), "utf8"));
  return resources[0].inputs.entries;
}

/** The marks of many nodes, by one round of one forwarder. */
export async function byForwarder(targets: Readonly<Record<string, Target>>): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-shapes-"));
  const records: ForwardRecord[] = [];
  const names = Object.keys(targets);
  const nodes = Object.fromEntries(names.map((name, index) => [`n${index}`, { ...targets[name] } as Target]));
  const watch = [{ arena: "edge", profiles: ["web"], types: ["shost" as const] }];
  const { told: log } = await forwardOnce({ nodes, watch, state: folder }, folder, {
    onRecord: (record) => void records.push(record),
  });
  await rm(folder, { recursive: true });
  return Object.fromEntries(
    names.map((name, index) => {
      const own = records.filter(({ node }) => node === `n${index}`);
      const failed = log.find(
        (line) => line.includes(`n${index} `) || line.includes(`(${nodes[`n${index}`]?.endpoint})`),
      );
      const marks = own.map(({ address, id, value, lifetime, extra }) =>
        plain({ address, id, value, lifetime, extra }),
      );
      return [name, own.length > 0 || failed === undefined ? marks : failed];
    }),
  );
}

/** A folder with the settings of a node. */
async function settingsOf(target: Target) {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-shapes-"));
  await writeFile(join(folder, "node.json"), JSON.stringify({ node: { ...target, markPace: "off" } }));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Without what is `undefined`, and without prototypes. */
function plain(record: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(record));
}

export function told({ endpoint }: Pick<Target, "endpoint">, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error).trim();
  return text.replaceAll(new URL(endpoint).host, "NODE");
}
