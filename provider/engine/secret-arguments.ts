import type { AuditRecord, AuditValue } from "../apply/audit-log";
import { attempt } from "../model/errors";
import { isObject, type JsonObject, membersOf } from "../model/json";
import { withoutPrefixes } from "../model/prefixes-in-text";
import { jsonIn, prefixIn } from "../model/readable";
import { formatUrl, setUrl } from "../model/resource-url";
import { type Place, SIGNALING } from "../reconcile/desired";
import { HOLDING_PREFIXES, SECRET_MARK, SECRETS_KEY } from "./secret-names";

/** A possible address, prefix or number inside any text. */
const TOKEN = /[0-9A-Fa-f.:]+(?:\/\d+)?/g;
/** Smaller numbers are too common: counts, status codes. */
const LONG_NUMBER = 1_000;
/** Shorter texts would be found inside other words. */
const LONG_TEXT = 3;

/**
 * Secret arguments of the resources of this process. The engine gives them in the clear and marks them again only in returned
 * properties; messages and lines of the audit log are hidden here.
 */
export class SecretArguments {
  private readonly tokens = new Set<string>();
  private readonly texts = new Set<string>();
  /** Prefixes of single entries with secret values. */
  private readonly silent = new Set<string>();
  readonly objects = new SecretObjects();

  /** @param placeOf Place of a resource's set or signaling; `undefined` if unknown. */
  constructor(private readonly placeOf: (resource: JsonObject) => Place | undefined = () => undefined) {}

  record(props: JsonObject): void {
    const names = namesIn(props);
    const ofTheirOwn = ["notes", "nodes", "rollout"];
    for (const name of names) if (!ofTheirOwn.includes(name)) this.add(props[name], name);
    if (names.includes("rollout")) this.addCheck(props);
    if (names.includes("nodes")) this.addNodes(props);
    if (names.includes("value")) this.silent.add(canonical(String(props.prefix)) ?? String(props.prefix));
    if (names.some((name) => HOLDING_PREFIXES.includes(name))) this.addObject(props);
    if (names.includes("notes") || names.includes("entries")) this.addNotes(props);
  }

  /** Replaces every secret in a text. @param isAboutSecret True if its set or signaling has secret prefixes: then it names none. */
  hide(text: string, isAboutSecret = false): string {
    const unnamed = isAboutSecret ? this.objects.hideAll(text) : this.objects.hide(text);
    if (unnamed === text && this.tokens.size + this.texts.size + this.silent.size === 0) return text;
    let hidden = unnamed.replaceAll(TOKEN, (token) => this.withoutSecret(token));
    for (const secret of this.texts) hidden = hidden.replaceAll(secret, SECRET_MARK);
    // Messages write the values of an entry behind its prefix.
    hidden = hidden.replaceAll(/\[secret\] \(\d+(?: to \d+)?\)/g, SECRET_MARK);
    const isSilent = [...this.silent].some((prefix) => hidden.includes(prefix));
    if (isSilent) hidden = hidden.replaceAll(/\b(value|not) \d+/g, `$1 ${SECRET_MARK}`);
    return hidden.replaceAll(/\[secret\](?:, \[secret\])+/g, SECRET_MARK);
  }

  /** A line of the audit log that shows only the number of secret prefixes. */
  hideIn(record: AuditRecord): AuditRecord {
    const { node, set, prefixes, reason, outcome } = record;
    const isSecret = this.objects.has(set, { name: node, endpoint: node });
    const value = (number: AuditValue) => (number === null ? null : SECRET_MARK);
    let hidden = 0;
    const shown = Object.entries(prefixes).map(([prefix, change]) => {
      const isHidden = isSecret || this.holds(prefix);
      if (!isHidden && !this.silent.has(prefix)) return [prefix, change];
      if (isHidden) hidden += 1;
      return [isHidden ? `${SECRET_MARK} ${hidden}` : prefix, { old: value(change.old), new: value(change.new) }];
    });
    const why = reason !== undefined && this.texts.has(reason) ? SECRET_MARK : reason;
    return { ...record, prefixes: Object.fromEntries(shown), reason: why, outcome: this.hide(outcome, isSecret) };
  }

  private withoutSecret(token: string): string {
    if (this.holds(token)) return SECRET_MARK;
    // An address may be the last word of a sentence.
    const [, word = "", end = ""] = /^(.*?)([.:])$/.exec(token) ?? [];
    return this.holds(word) ? `${SECRET_MARK}${end}` : token;
  }

  /** True for a prefix or long number that is secret, in whatever spelling. */
  holds(token: string): boolean {
    return this.tokens.has(token) || this.tokens.has(canonical(token) ?? token);
  }

  private addObject(props: JsonObject): void {
    const { prefixes } = props;
    const url = prefixes === undefined ? setUrl(props) : undefined;
    if (url) this.objects.add(formatUrl(url), this.placeOf(props));
    else if (prefixes !== undefined) this.objects.add(SIGNALING, this.placeOf(props));
  }

  private add(value: unknown, name: string): void {
    if (typeof value === "number" && value >= LONG_NUMBER) this.tokens.add(String(value));
    if (typeof value === "string") this.addText(value);
    if (typeof value !== "object" || value === null) return;
    if (name === "entries" && !Array.isArray(value)) for (const prefix of Object.keys(value)) this.addText(prefix);
    for (const item of Object.values(value)) this.add(item, "");
  }

  private addNodes({ nodes }: JsonObject): void {
    for (const own of Object.values(membersOf(nodes))) {
      if (!isObject(own)) continue;
      this.add(own.entries, "entries");
      this.addNotes(own);
    }
  }

  /** Adds the url and headers of a rollout's check. */
  private addCheck({ rollout }: JsonObject): void {
    const { url, headers, command } = membersOf(membersOf(rollout).check);
    this.add([typeof url === "string" ? shownOf(url) : [], membersOf(headers), command], "");
  }

  private addText(text: string): void {
    const prefix = canonical(text);
    if (prefix !== undefined) this.tokens.add(text).add(prefix);
    else if (text.length >= LONG_TEXT) this.texts.add(text);
  }

  /** Reasons, tickets and times, as the program writes them and as the state keeps them. */
  private addNotes({ entries, notes }: JsonObject): void {
    const kept =
      typeof notes === "object" && notes !== null ? Object.values(notes).map((text) => jsonIn(String(text))) : [];
    const written = typeof entries === "object" && entries !== null ? Object.values(entries) : [];
    for (const note of [...kept, ...written]) {
      if (typeof note !== "object" || note === null) continue;
      const { prefix: _, value: __, ...texts }: JsonObject = note;
      this.add(texts, "");
    }
  }
}

/** The canonical form of a prefix, with host bits cut off; `undefined` for other texts. */
function canonical(text: string): string | undefined {
  if (!/\d/.test(text) || !/[.:]/.test(text)) return undefined;
  return prefixIn(text, { hostBits: "mask" })?.toString();
}

/** Names of the secret arguments of a resource. */
export function namesIn({ [SECRETS_KEY]: names }: JsonObject): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Sets and signalings with secret prefixes: no message names any entry of theirs, not even one of another writer. */
export class SecretObjects {
  /** The set's url, or `signaling`, to its nodes or receivers; `undefined` is an unknown one, which may be any. */
  private readonly objects = new Map<string, Set<Place | undefined>>();

  /** @param object The set's url, or `signaling`. */
  add(object: string, place: Place | undefined): void {
    const places = this.objects.get(object) ?? new Set();
    const isKnown = [...places].some((known) => known?.endpoint === place?.endpoint && known?.name === place?.name);
    if (!isKnown) places.add(place);
    this.objects.set(object, places);
  }

  /** True where the prefixes of this object may not be named. */
  has(object: string, at: Place): boolean {
    const isSame = (place: Place | undefined) => !place || namesOf(at).some((name) => namesOf(place).includes(name));
    return [...(this.objects.get(object) ?? [])].some(isSame);
  }

  /** The text without prefixes, if it is about one of these objects; any other text unchanged. */
  hide(text: string): string {
    return this.isAbout(text) ? this.hideAll(text) : text;
  }

  /** The text without any prefix; nodes and receivers keep their names. */
  hideAll(text: string): string {
    const places = [...this.objects.values()].flatMap((known) => [...known]);
    return withoutPrefixes(text, SECRET_MARK, places.flatMap(namesOf));
  }

  private isAbout(text: string): boolean {
    return [...this.objects].some(([object, places]) => {
      const isNamed = object === SIGNALING ? /\bsignaling\b/i.test(text) : stands(object, text);
      return isNamed && [...places].some((place) => !place || namesOf(place).some((name) => stands(name, text)));
    });
  }
}

/** Names of a node or receiver in messages: its name, its address, and that without the scheme. */
function namesOf(place: Place | undefined): string[] {
  if (!place) return [];
  const { name, endpoint } = place;
  return [...(name === undefined ? [] : [name]), endpoint, endpoint.replace(/^https?:\/\//, "")];
}

/** True if the name is in the text as a whole word. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w%-]/.test(text[at - 1] ?? "") && !/[\w%-]/.test(text[at + name.length] ?? "")) return true;
  }
  return false;
}

/** Stands for the name of a node in a url: it is not secret, and messages have it. */
const NODE = "packetfilter-node";

/** The texts of a check's url that a message may have: as it is written and as it is asked, and its server. A scheme alone tells nothing. */
function shownOf(url: string): string[] {
  const asked = attempt(() => new URL(url.replaceAll("{node}", NODE)));
  if (asked) asked.hash = "";
  const texts = asked ? [asked.href, asked.host, asked.hostname] : [];
  const parts = [...url.split("{node}"), ...texts.flatMap((text) => text.split(NODE))];
  return parts.filter((part) => !/^[a-z]+:\/*$/.test(part));
}
