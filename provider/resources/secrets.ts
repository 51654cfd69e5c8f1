import { Prefix } from "../model/prefix";
import type { AuditRecord, AuditValue } from "./audit-log";
import type { DynamicProvider } from "./dynamic-provider";
import type { JsonObject } from "./json";
import { SECRET_MARK, SECRETS_KEY } from "./secret-names";

/** What may be an address, a prefix or a number, in whatever stands around it. */
const TOKEN = /[0-9A-Fa-f.:]+(?:\/\d+)?/g;
/** Smaller numbers stand everywhere, as counts and status codes. */
const LONG_NUMBER = 1_000;
/** Shorter texts would be found inside of others. */
const LONG_TEXT = 3;
/** Marks of outputs that no input becomes: only the engine needs them. */
const OUTPUT_MARKS = ["started"];

/**
 * What the resources of this process hold in secret. The engine gives a provider everything in the clear and marks again
 * what comes back in properties; sentences for people and lines of the audit log are our own to keep clean.
 */
export class Secrets {
  private readonly tokens = new Set<string>();
  private readonly texts = new Set<string>();

  /** Remembers what stands in arguments that are named as secret. */
  learn(props: JsonObject): void {
    const names = namesIn(props);
    for (const name of names) if (name !== "notes") this.add(props[name], name);
    if (names.includes("notes") || names.includes("entries")) this.addNotes(props);
  }

  /** A text in which every secret is replaced. */
  hide(text: string): string {
    if (this.tokens.size + this.texts.size === 0) return text;
    let hidden = text.replaceAll(TOKEN, (token) => this.withoutSecret(token));
    for (const secret of this.texts) hidden = hidden.replaceAll(secret, SECRET_MARK);
    return hidden.replaceAll(/\[secret\](?:, \[secret\])+/g, SECRET_MARK);
  }

  /** A line of the audit log: how many secret prefixes changed can be seen, and nothing else of them. */
  hideIn(record: AuditRecord): AuditRecord {
    const { prefixes, reason, outcome } = record;
    const value = (number: AuditValue) => (number === null ? null : SECRET_MARK);
    let hidden = 0;
    const shown = Object.entries(prefixes).map(([prefix, change]) => {
      if (!this.holds(prefix)) return [prefix, change];
      hidden += 1;
      return [`${SECRET_MARK} ${hidden}`, { old: value(change.old), new: value(change.new) }];
    });
    const why = reason !== undefined && this.texts.has(reason) ? SECRET_MARK : reason;
    return { ...record, prefixes: Object.fromEntries(shown), reason: why, outcome: this.hide(outcome) };
  }

  private withoutSecret(token: string): string {
    if (this.holds(token)) return SECRET_MARK;
    // An address may be the last word of a sentence.
    const [, word = "", end = ""] = /^(.*?)([.:])$/.exec(token) ?? [];
    return this.holds(word) ? `${SECRET_MARK}${end}` : token;
  }

  private holds(token: string): boolean {
    return this.tokens.has(token) || this.tokens.has(canonical(token));
  }

  private add(value: unknown, name: string): void {
    if (typeof value === "number" && value >= LONG_NUMBER) this.tokens.add(String(value));
    if (typeof value === "string") this.addText(value);
    if (typeof value !== "object" || value === null) return;
    if (name === "entries" && !Array.isArray(value)) for (const prefix of Object.keys(value)) this.addText(prefix);
    for (const item of Object.values(value)) this.add(item, "");
  }

  private addText(text: string): void {
    const prefix = canonical(text);
    if (prefix !== text || text.includes("/")) this.tokens.add(text).add(prefix);
    else if (text.length >= LONG_TEXT) this.texts.add(text);
  }

  /** Reasons, tickets and times, as the program writes them and as the state keeps them. */
  private addNotes({ entries, notes }: JsonObject): void {
    const kept = typeof notes === "object" && notes !== null ? Object.values(notes).map(noteOf) : [];
    const written = typeof entries === "object" && entries !== null ? Object.values(entries) : [];
    for (const note of [...kept, ...written]) {
      if (typeof note !== "object" || note === null) continue;
      const { value: _, ...texts } = note;
      this.add(texts, "");
    }
  }
}

/** The form in which a prefix is known, host bits cut off; other texts as they are. */
function canonical(text: string): string {
  if (!/\d/.test(text) || !/[.:]/.test(text)) return text;
  try {
    return Prefix.parse(text, { hostBits: "mask" }).toString();
  } catch {
    return text;
  }
}

function noteOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

function namesIn({ [SECRETS_KEY]: names }: JsonObject): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/**
 * A provider that keeps secrets: it learns them before anything is done, and hides them in every error. What the classes
 * send beside the arguments goes round the resource and into its state.
 */
export function keepingSecrets(provider: DynamicProvider, secrets: Secrets): DynamicProvider {
  const learn = (...all: JsonObject[]) => {
    for (const props of all) secrets.learn(props);
  };
  const hidden = async <T>(work: () => Promise<T>, inputs: JsonObject = {}): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw cleaned(error, secrets, inputs);
    }
  };
  return {
    configure: (request) => provider.configure(request),
    check: (olds, news) =>
      hidden(async () => {
        learn(olds, news);
        const { inputs, failures } = await provider.check(plain(olds), plain(news));
        learn({ ...inputs, ...hiddenIn(news) });
        const shown = failures.map((failure) => ({ ...failure, reason: secrets.hide(failure.reason) }));
        return { inputs: { ...marksIn(news), ...inputs, ...hiddenIn(news) }, failures: shown };
      }),
    diff: (id, olds, news) =>
      hidden(async () => {
        learn(olds, news);
        const answer = await provider.diff(id, plain(olds), plain(news));
        // The state still shows what has become a secret since.
        const same = JSON.stringify(namesIn(olds)) === JSON.stringify(namesIn(news));
        return answer.changes === false && !same ? {} : answer;
      }),
    create: (inputs) =>
      hidden(async () => {
        learn(inputs);
        const { id, outs } = await provider.create(plain(inputs));
        return { id, outs: { ...outs, ...hiddenIn(inputs) } };
      }, inputs),
    read: (id, props) =>
      hidden(async () => {
        learn(props);
        const read = await provider.read(id, plain(props));
        if (read.id === "") return read;
        const inputs = read.inputs && { inputs: { ...read.inputs, ...hiddenIn(props) } };
        return { ...read, ...inputs, props: { ...read.props, ...hiddenIn(props) } };
      }),
    update: (id, olds, news) =>
      hidden(async () => {
        learn(olds, news);
        const { outs } = await provider.update(id, plain(olds), plain(news));
        return { outs: { ...outs, ...hiddenIn(news) } };
      }, news),
    delete: (id, props) =>
      hidden(async () => {
        learn(props);
        await provider.delete(id, plain(props));
      }),
  };
}

/** What goes to the resource: its arguments, without what is said about them. */
function plain({ [SECRETS_KEY]: _, ...props }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== SECRET_MARK));
}

function hiddenIn({ [SECRETS_KEY]: names }: JsonObject): JsonObject {
  return names === undefined ? {} : { [SECRETS_KEY]: names };
}

function marksIn(props: JsonObject): JsonObject {
  return Object.fromEntries(OUTPUT_MARKS.filter((key) => props[key] === SECRET_MARK).map((key) => [key, SECRET_MARK]));
}

/** The same error with other words; after a partial failure the engine keeps its `properties` as the state. */
function cleaned(error: unknown, secrets: Secrets, inputs: JsonObject): unknown {
  if (!(error instanceof Error)) return error;
  const stack = secrets.hide(error.stack ?? "");
  error.message = secrets.hide(error.message);
  error.stack = stack;
  const failure: Error & { properties?: JsonObject; reasons?: string[] } = error;
  if (failure.properties) failure.properties = { ...failure.properties, ...hiddenIn(inputs) };
  if (failure.reasons) failure.reasons = failure.reasons.map((reason) => secrets.hide(reason));
  return error;
}
