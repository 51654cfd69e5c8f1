import { z } from "zod";
import type { PrefixSetUrl } from "../../client";
import { type EntryNote, parseNote } from "../../model/entry";
import { messageOf } from "../../model/errors";
import { overridden } from "../../model/group-content";
import type { CanonicalPrefix, Prefix } from "../../model/prefix";
import { jsonIn, resourceIn } from "../../model/readable";
import { kindOf, typeIn } from "../../model/resource-kind";
import { type CliIo, UsageError } from "../cli-io";
import { textOf } from "../failure";
import { Interrupted, unlessStopped } from "../interruption";
import type { Project } from "../project";

const text = z.string().optional().catch(undefined);
const members = z.record(z.string(), z.unknown()).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const list = z.array(z.string()).optional().catch(undefined);
const content = z.object({ entries: members, notes: members });
const outputs = content.extend({
  url: text,
  endpoint: text,
  endpoints: z.record(z.string(), z.string()).optional().catch(undefined),
  prefix: text,
  reason: text,
  ticket: text,
  expires: text,
  expired: flag,
  absent: flag,
  adopted: list,
  found: list,
  lost: members,
  nodes: z.record(z.string(), content.catch({})).optional().catch(undefined),
});
const resource = z.object({ urn: z.string(), type: z.string(), provider: text, outputs: members });
const exportSchema = z.object({ deployment: z.object({ resources: z.array(resource).nullish() }) });

/** A set of a stack at an address, with the notes of its entries. */
export interface StackSet {
  readonly endpoint: string;
  readonly url: PrefixSetUrl;
  /** Notes of the entries that cover the address, with the name of the resource. */
  readonly notes: ReadonlyMap<CanonicalPrefix, EntryNote & { readonly resource: string }>;
}

interface StackSets {
  readonly known: readonly StackSet[];
  /** Sentences about resources whose set or address the state has as a secret, or not at all. */
  readonly unreadable: readonly string[];
}

/**
 * Reads the sets of a stack from the output of `pulumi stack export`, in a file or of that command: nodes do not list their sets.
 *
 * @param covered The address whose entries get their notes.
 * @throws {UsageError} if the file holds something else
 * @throws {Error} if there is no stack, or Pulumi fails
 */
export async function stackSets(
  project: Project,
  file: string | undefined,
  io: CliIo,
  covered?: Prefix,
): Promise<StackSets> {
  const covering = Array.from({ length: covered ? covered.length + 1 : 0 }, (_, length) =>
    (covered as Prefix).truncate(length).toString(),
  );
  const exported = file === undefined ? await exportOf(project, io) : await textOf(file, io);
  const parsed = exportSchema.safeParse(jsonIn(exported));
  if (!parsed.success)
    throw new UsageError(
      `${file === undefined ? "The text that pulumi printed" : `--state ${file}`} is not the output of "pulumi stack export".`,
    );
  const found = new Map<string, StackSet & { notes: Map<CanonicalPrefix, EntryNote & { resource: string }> }>();
  const unreadable: string[] = [];
  for (const { urn, type, provider, outputs: held = {} } of parsed.data.deployment.resources ?? []) {
    const said = outputs.parse(held);
    const kind = kindOf(type, held, provider === undefined ? undefined : typeIn(provider));
    if (kind === undefined || kind === "CloudSignaling") continue;
    const url = setOf(said.url ?? "");
    const name = urn.split("::").at(-1) ?? urn;
    const { endpoint, endpoints = endpoint === undefined ? undefined : { "": endpoint } } = said;
    if (!url || !endpoints) {
      unreadable.push(
        `${kind} ${name}: the state has no readable set and address of it, and its set was not searched. Name the set, such as prefixset://edge/blocked, and its node.`,
      );
      continue;
    }
    for (const [node, endpoint] of Object.entries(endpoints)) {
      const notes = notesOf(covering, said, said.nodes?.[node]);
      const key = `${endpoint} ${said.url?.split("#")[0]}`;
      const set = found.get(key) ?? { endpoint, url, notes: new Map() };
      for (const [prefix, note] of notes) set.notes.set(prefix, { ...note, resource: name });
      found.set(key, set);
    }
  }
  return { known: [...found.values()], unreadable };
}

async function exportOf({ folder, stack }: Project, { execute, stop }: CliIo): Promise<string> {
  const remedy =
    'Name the sets, such as prefixset://edge/blocked, or give --state FILE with the output of "pulumi stack export".';
  if (folder === undefined || stack === undefined || !execute)
    throw new UsageError(`Nodes have no list of their sets, and there is no stack here that has one. ${remedy}`);
  try {
    const words = ["stack", "export", "--stack", stack, "--non-interactive"];
    return await unlessStopped(stop, execute("pulumi", words, folder, stop));
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const [line = ""] = messageOf(error).split("\n");
    throw new Error(`Nodes have no list of their sets, and "pulumi stack export" failed: ${line}. ${remedy}`);
  }
}

type Outputs = z.output<typeof outputs>;
type Content = z.output<typeof content>;

/** Notes of the declared entries among those: a note alone is that of an expired one. @param own Overrides of a group's node. */
function notesOf(covering: readonly CanonicalPrefix[], said: Outputs, own: Content | undefined) {
  const { prefix, reason, ticket, expires, adopted = [], found = [], lost = {} } = said;
  const isThere = !said.expired && !said.absent;
  const single = prefix !== undefined && {
    entries: isThere ? { [prefix]: 1 } : {},
    notes: { [prefix]: { reason, ticket, expires } },
  };
  const pick = (from: Readonly<Record<string, unknown>> = {}) =>
    new Map(covering.flatMap((one) => (Object.hasOwn(from, one) ? [[one, from[one]] as const] : [])));
  const picked = (of: Content) => ({ entries: pick(of.entries), notes: pick(of.notes) });
  const { entries, notes } = overridden(picked(single || said), own && picked(own));
  // What a refresh or an adoption brought is no program's, unless it is a declared entry with another value.
  const isForeign = (one: CanonicalPrefix) =>
    (adopted.includes(one) || found.includes(one)) && !Object.hasOwn(lost, one) && !notes.has(one);
  return [...entries.keys()].flatMap((one) => (isForeign(one) ? [] : [[one, parseNote(notes.get(one))] as const]));
}

function setOf(url: string): PrefixSetUrl | undefined {
  const parsed = resourceIn(url.split("#")[0] ?? url);
  return parsed?.kind === "prefixset" ? parsed : undefined;
}
