import { z } from "zod";
import { parseNodeEndpoint } from "../client/endpoint";
import { HOLDING_PREFIXES, LISTS, SECRET_MARK, SECRETS_KEY } from "../engine/secret-names";
import { type EntryNote, type ListedValue, parseNote } from "../model/entry";
import { attempt } from "../model/errors";
import { type JsonObject, UNKNOWN } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import { prefixIn, structured } from "../model/readable";
import { formatUrl, setUrl } from "../model/resource-url";
import { flatInputs } from "../reconcile/written-inputs";
import type { Preview, PreviewState } from "./preview-json";

/** Node and set of a resource. */
export interface Place {
  /** Name in the configuration, else the address, else words. */
  readonly label: string;
  /** The address without credentials, where it is known. */
  readonly endpoint?: string | undefined;
}

export interface NotedEntry {
  readonly value: ListedValue;
  readonly note: EntryNote;
}

/** Entries that a resource holds at one moment, or is to hold. */
export interface SetContent {
  readonly place: Place;
  /** The set; words where the preview does not know it yet. */
  readonly url: string;
  readonly entries: ReadonlyMap<CanonicalPrefix, NotedEntry>;
  /** Notes of entries that are wanted no more, since they have expired. */
  readonly expired: ReadonlyMap<CanonicalPrefix, EntryNote>;
  /** True where a prefix is not known yet. */
  readonly isUnknown: boolean;
  /** True where a value or a note is secret. */
  readonly isHidden: boolean;
}

const text = z.string().optional().catch(undefined);
const map = z.record(z.string(), z.unknown()).catch({});
const secretNames = z.array(z.string()).catch([]);

/** Inputs with everything taken out that the classes named as secret: a newer CLI may print it. */
export function withoutSecrets(inputs: JsonObject): JsonObject {
  const secrets = secretNames.parse(inputs[SECRETS_KEY]);
  const isSecret = (key: string) =>
    secrets.includes(key) ||
    (secrets.some((name) => HOLDING_PREFIXES.includes(name)) && [...LISTS, "notes", "started"].includes(key));
  return flatInputs(
    Object.fromEntries(
      Object.entries(inputs)
        .filter(([key]) => !key.startsWith("__"))
        .map(([key, value]) => [key, isSecret(key) && value !== UNKNOWN ? SECRET_MARK : value]),
    ),
  );
}

/** A state as what was there: the outputs say what the last run left, and the inputs what it wanted. */
export function membersBefore({ inputs, outputs }: PreviewState): JsonObject {
  return { ...withoutSecrets(inputs), ...withoutSecrets({ ...outputs, [SECRETS_KEY]: inputs[SECRETS_KEY] }) };
}

/** Facts about addresses from a preview. */
export interface Known {
  readonly config: Preview["config"];
  /** Addresses of the last run, by kind and name: for connections of the environment, and for secret ones. */
  readonly used: ReadonlyMap<string, string>;
}

/** Collects the addresses that nodes and receivers had in the last run. */
export function addressesIn({ config, steps }: Pick<Preview, "config" | "steps">): Known {
  const used = new Map<string, string>();
  for (const { oldState } of steps) {
    if (!oldState) continue;
    for (const kind of [NODE, RECEIVER]) {
      const named = oldState.inputs[kind.argument];
      const endpoint = shownAddress(oldState.outputs.endpoint);
      const isOther = kind === NODE ? "prefixes" in oldState.inputs : !("prefixes" in oldState.inputs);
      if (endpoint !== undefined && !isOther && typeof named !== "object")
        used.set(usedKey(kind, text.parse(named)), endpoint);
    }
    for (const [node, address] of Object.entries(map.parse(oldState.outputs.endpoints))) {
      const endpoint = shownAddress(address);
      if (endpoint !== undefined) used.set(usedKey(NODE, node), endpoint);
    }
  }
  return { config, used };
}

/** One set of one machine, however it is called. */
export function keyOf({ place, url }: Pick<SetContent, "place" | "url">): string {
  return JSON.stringify([place.endpoint ?? place.label, url]);
}

export function contentOfSet(members: JsonObject, known: Known): SetContent {
  const { entries: given, notes: written, node, endpoint } = members;
  const notes = map.parse(written);
  const entries = new Map<CanonicalPrefix, NotedEntry>();
  let [isUnknown, isHidden] = [given === UNKNOWN, given === SECRET_MARK || written === SECRET_MARK];
  for (const [spelling, value] of Object.entries(map.parse(given))) {
    const prefix = canonical(spelling);
    if (prefix === undefined) isUnknown = true;
    else entries.set(prefix, { value: shownValue(value), note: parseNote(notes[spelling]) });
    isHidden ||= value === SECRET_MARK;
  }
  const expired = new Map<CanonicalPrefix, EntryNote>();
  for (const [spelling, note] of Object.entries(notes)) {
    const prefix = canonical(spelling);
    if (prefix !== undefined && !entries.has(prefix)) expired.set(prefix, parseNote(note));
  }
  return {
    place: placeOf({ named: node, endpoint }, known, NODE),
    url: urlOf(members),
    entries,
    expired,
    isUnknown,
    isHidden,
  };
}

/** Entries of a `PrefixSetEntry`: one, or none where it has expired or a failure left it out. */
export function contentOfEntry(members: JsonObject, known: Known): SetContent {
  const { prefix: spelling, value, reason, ticket, expires, node, endpoint, expired, absent } = members;
  const prefix = canonical(spelling);
  const note = parseNote({ reason, ticket, expires });
  const isHeld = expired !== true && absent !== true;
  return {
    place: placeOf({ named: node, endpoint }, known, NODE),
    url: urlOf(members),
    entries: new Map(prefix !== undefined && isHeld ? [[prefix, { value: shownValue(value ?? 1), note }]] : []),
    expired: new Map(prefix !== undefined && expired === true ? [[prefix, note]] : []),
    isUnknown: prefix === undefined,
    isHidden: [value, reason, ticket, expires].includes(SECRET_MARK),
  };
}

/** Prefixes of a list, and whether all of them are known. */
export function readList(value: unknown): { prefixes: CanonicalPrefix[]; isUnknown: boolean } {
  const spellings = z.array(z.unknown()).safeParse(value).data;
  const prefixes = (spellings ?? []).flatMap((spelling) => canonical(spelling) ?? []);
  return { prefixes, isUnknown: prefixes.length < (spellings?.length ?? 1) };
}

/** Differences between nodes and receivers. */
export const NODE = {
  argument: "node",
  all: "packetfilter:nodes",
  address: "endpoint",
  standard: "packetfilter:endpoint",
  unnamed: "the node of the environment",
};
export const RECEIVER = {
  argument: "receiver",
  all: "packetfilter:receivers",
  address: "url",
  standard: "packetfilter:signalingUrl",
  unnamed: "the receiver of the environment",
};

/** The place of a resource, by its argument, by the address of its last run, and by the configuration. */
export function placeOf(
  { named, endpoint: used }: { readonly named: unknown; readonly endpoint: unknown },
  { config, used: before }: Known,
  kind: typeof NODE,
): Place {
  const name = text.parse(named);
  const object = map.parse(named);
  const isObject = typeof named === "object" && named !== null;
  const all = map.parse(structured(config[kind.all]));
  const given = isObject
    ? object[kind.address]
    : name === undefined
      ? config[kind.standard]
      : map.parse(structured(all[name]))[kind.address];
  const last = isObject ? undefined : before.get(usedKey(kind, name));
  const endpoint = shownAddress(used) ?? shownAddress(given) ?? last;
  if (name === UNKNOWN) return { label: "not known yet" };
  return { label: name ?? endpoint ?? kind.unnamed, endpoint };
}

function usedKey({ argument }: typeof NODE, name: string | undefined): string {
  return JSON.stringify([argument, name ?? null]);
}

/** An address without credentials. */
export function shownAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value === UNKNOWN || value === SECRET_MARK) return undefined;
  return attempt(() => parseNodeEndpoint(value).shown);
}

function urlOf(members: JsonObject): string {
  const url = setUrl(members);
  return url ? formatUrl(url) : "a set that is not known yet";
}

export function canonical(spelling: unknown): CanonicalPrefix | undefined {
  return prefixIn(spelling)?.toString();
}

export function shownValue(value: unknown): ListedValue {
  if (value === UNKNOWN) return "not known yet";
  return typeof value === "number" || typeof value === "string" ? value : "of an unknown form";
}
