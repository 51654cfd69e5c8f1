// What an engineer would write without Pulumi: lists the set of each node, inserts what is missing, deletes what is too much, and
// commits, sixteen nodes at a time. No retry, no look at whether a commit took effect.
import { readFileSync } from "node:fs";

const AT_ONCE = 16;
const PER_REQUEST = 5_000;

interface Work {
  readonly endpoints: readonly string[];
  readonly set: string;
  readonly entries: Readonly<Record<string, number>>;
  /** Lists and compares only. */
  readonly dry: boolean;
}

async function send(endpoint: string, command: object): Promise<unknown> {
  const answer = await fetch(`${endpoint}/fapi`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(command),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return JSON.parse(text);
}

async function sync(endpoint: string, { set, entries, dry }: Work): Promise<void> {
  const url = `prefixset://edge/${set}`;
  const { data } = (await send(endpoint, { url, cmd: "list" })) as { data: { p: string; v: number }[] };
  const held = new Map(data.map(({ p, v }) => [p, v]));
  const inserts = Object.entries(entries).filter(([p, v]) => held.get(p) !== v);
  const deletes = [...held.keys()].filter((p) => !(p in entries));
  if (dry || inserts.length + deletes.length === 0) return;
  for (let at = 0; at < inserts.length; at += PER_REQUEST) {
    await send(endpoint, { url, cmd: "insert", data: inserts.slice(at, at + PER_REQUEST).map(([p, v]) => ({ p, v })) });
  }
  for (let at = 0; at < deletes.length; at += PER_REQUEST) {
    await send(endpoint, { url, cmd: "delete", data: deletes.slice(at, at + PER_REQUEST).map((a) => ({ a })) });
  }
  await send(endpoint, { url, cmd: "commit" });
}

async function main(): Promise<void> {
  const work = JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as Work;
  const waiting = [...work.endpoints];
  const worker = async () => {
    for (let endpoint = waiting.shift(); endpoint !== undefined; endpoint = waiting.shift()) await sync(endpoint, work);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

void main();
