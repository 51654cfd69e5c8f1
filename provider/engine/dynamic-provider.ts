import { loadAgent } from "../client/http";
import type { Advice } from "../messages/advice";
import { attempt as attempted, messageOf } from "../model/errors";
import { hasUnknown, isObject, type JsonObject, membersOf, sameJson, someMember, without } from "../model/json";
import { Prefix } from "../model/prefix";
import { REFUSED_KEY } from "../model/resource-kind";
import { RESTORES } from "../reconcile/drift";
import { readIgnored } from "../reconcile/ignored";
import {
  ADDED,
  ADDRESSES,
  asWritten,
  GIVEN_KEY,
  hasAddress,
  inputsFor,
  withoutAdded,
  withWritten,
} from "../reconcile/written-inputs";
import type { ReadConfig } from "../settings/config-keys";
import { ConfigError } from "../settings/settings";
import { type About, type Compared, type Handler, PartialFailure } from "./handler";
import { SAID_KEY } from "./provider-text";

/** The shape that the dynamic-provider server of Pulumi's Node SDK calls. */
export interface DynamicProvider {
  /** Names of the arguments, which the server does not ask for. */
  readonly args: readonly string[];
  /** The first call, with a reader of the stack's configuration. */
  configure(request: Configuration): Promise<void>;
  /** Normalises inputs for the state and reports faults. */
  check(olds: JsonObject, news: JsonObject, urn?: string): Promise<CheckAnswer>;
  /** The canonical form of checked inputs, which the state will have. */
  normal(inputs: JsonObject): JsonObject;
  /** Compares the state with the inputs. */
  diff(id: string, olds: JsonObject, news: JsonObject, urn?: string, ignoring?: Ignoring): Promise<Compared>;
  /** Judges a create in a preview by what the node holds. @throws {Error} if the `up` would fail */
  foresee(inputs: JsonObject): Promise<void>;
  /** Makes the resource. */
  create(inputs: JsonObject): Promise<Made>;
  /** Reads the resource; the id is empty if it is gone. */
  read(id: string, props: JsonObject, urn?: string): Promise<ReadResult>;
  /** Changes the resource to the inputs. */
  update(id: string, olds: JsonObject, news: JsonObject, ignoring?: Ignoring): Promise<Pick<Made, "outs">>;
  /** Removes the resource. */
  delete(id: string, props: JsonObject, urn?: string): Promise<void>;
}

/** The option `ignoreChanges`, which the engine tells a plugin, and what it is about. */
interface Ignoring {
  /** The paths of the option. */
  readonly paths: readonly string[];
  /** Inputs of the state, to which the engine has reset them. */
  readonly inputs: JsonObject;
}

interface Configuration {
  /** The stack's configuration. */
  config: {
    /** The value of a key with its namespace. */
    get(key: string): unknown;
  };
}

interface CheckAnswer {
  /** Inputs for `diff`, `create` and `update`. */
  inputs: JsonObject;
  /** None where all is well. */
  failures: {
    /** The argument. */
    property: string;
    /** A sentence. */
    reason: string;
  }[];
}

interface Made {
  /** Id in the state. */
  id: string;
  /** Properties for the state. */
  outs: JsonObject;
}

interface ReadResult {
  /** Empty where it is gone. */
  id: string;
  /** Properties for the state. */
  props: JsonObject;
  /** Inputs of a program with this declaration. */
  inputs?: JsonObject;
}

/** The deployment, as the engine's calls reach it. */
export interface DeploymentPort {
  readonly advice: Advice;
  /** Milliseconds since 1970, for comparison with `expires`: one time for all that runs without a pause. */
  readonly today: number;
  readonly shared: {
    readonly sync: () => string | undefined;
    /** Any resource of the stack, once one is known. */
    readonly run: { owner?: string | undefined };
  };
  /** Reads the configuration of the stack. */
  configure(read: ReadConfig): void;
  /** Tells that the engine previews, in which arguments can be unknown. */
  seePreview(about: About): void;
  /** Counts the check while it runs. */
  checking<T>(check: Promise<T>): Promise<T>;
  /** Counts the operation while it runs. */
  during<T>(operation: Promise<T>): Promise<T>;
}

const PROVIDER_KEY = "__provider";
const REFUSED = { [REFUSED_KEY]: true };
const SHOWN_PROBLEMS = 10;

/**
 * The object that the server expects, made of a {@link Handler}. It avoids the traps of the server: errors are new ones
 * without members that leak into the wire status, returned values are plain JSON, partial failures keep the provider text.
 */
export function dynamicProvider(handler: Handler, runtime: DeploymentPort): DynamicProvider {
  const { advice } = runtime;
  const normal = (inputs: JsonObject) => handler.normal(inputs);
  const normalOf = (inputs: JsonObject) => {
    const rest = withoutText(inputs);
    return Object.keys(rest).length === 0 ? rest : normal(rest);
  };
  const ignoredBy = ({ paths, inputs }: Ignoring): Pick<About, "ignored"> => {
    if (paths.length === 0) return {};
    const { entries, problems } = readIgnored(paths, handler.args, inputs, true);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return { ignored: entries };
  };
  const writtenOf = (inputs: JsonObject) => withWritten(normal(inputs), inputs);
  /** A comparison that names a change which only the outputs show: the engine cannot see it in the inputs. */
  const compareWritten = (olds: JsonObject, news: JsonObject, compared: Compared): Compared => {
    if (compared.changes !== undefined || compared.replaces) return compared;
    const [now, before] = [withoutText(news), asWritten(argumentsIn(withoutText(olds), news), normal)];
    return sameJson(now, before) ? { ...compared, changes: true } : compared;
  };
  return {
    args: handler.args,
    normal,
    async configure({ config }) {
      runtime.configure((key) => config.get(`packetfilter:${key}`));
    },
    async check(olds, news, urn) {
      const { [PROVIDER_KEY]: text, [SAID_KEY]: saying, [RESTORES]: handed, ...program } = news;
      const about: About = { ...membersOf(saying), ...(urn !== undefined && { urn }) };
      // Only the engine may pass it, with `ignoreChanges: ["*"]`.
      const given = handed === undefined || handed === olds[RESTORES] ? program : { ...program, [RESTORES]: handed };
      const args = withoutAdded(olds, given);
      if (hasUnknown(args)) runtime.seePreview(about);
      const check = async () => {
        const before = normalOf(olds);
        const isNew = Object.keys(olds).length === 0;
        const meant = isNew ? [] : readIgnored(about.paths ?? [], handler.args, olds, true).problems;
        if (meant.length > 0) return { inputs: { ...news, ...REFUSED }, failures: failures(meant) };
        const { inputs, problems } = handler.check(before, args, about);
        // An entry whose time is over only after the look has been declared by the check.
        const { today } = runtime;
        if (problems.length > 0)
          return {
            inputs: plain({ ...inputs, ...REFUSED, [PROVIDER_KEY]: text }),
            failures: failures(advice.once(problems)),
          };
        const looked = await handler.look?.(before, inputs, about.decides === true ? "answer" : "nothing");
        // The engine tells a plugin of `ignoreChanges` only later, unless a class of this package has told it.
        const isIgnoredKnown = urn === undefined || saying !== undefined;
        const left = looked?.hasValues && !isIgnoredKnown ? "; values that ignoreChanges covers stay" : "";
        const restores = restoresInput(looked?.restores && `${looked.restores}${left}`, olds[RESTORES]);
        if (isNew) prepareToSend();
        return {
          inputs: plain({
            ...inputsFor(args, inputs, today),
            ...(text !== undefined && { ...addressesIn(olds), ...handler.addresses(inputs) }),
            ...restores,
            [PROVIDER_KEY]: text,
          }),
          failures: failures(advice.once(looked?.problems ?? [])),
        };
      };
      try {
        return await runtime.checking(check());
      } catch (error) {
        if (error instanceof ConfigError)
          return { inputs: { ...news, ...REFUSED }, failures: failures([error.message]) };
        throw clean(error);
      }
    },
    async diff(_id, olds, news, urn, ignoring) {
      return attempt(advice, async () => {
        const about = { ...(urn !== undefined && { urn }), ...(ignoring && ignoredBy(ignoring)) };
        const compared = compareWritten(olds, news, handler.diff(withoutText(olds), normalOf(news), about));
        if (compared.changes !== false) prepareToSend();
        // A state of the plugin lacks the text that the SDK's server needs for refresh and delete: an update adds it.
        const lacksText = olds[PROVIDER_KEY] === undefined && news[PROVIDER_KEY] !== undefined;
        return plain(lacksText && compared.changes === false ? without({ ...compared }, ["changes"]) : compared);
      });
    },
    async foresee(inputs) {
      if (hasUnknown(inputs)) return;
      await attempt(advice, async () => {
        // Only the program knows whether another resource makes the set before.
        const { problems = [] } = (await handler.look?.({}, normalOf(inputs), "entries")) ?? {};
        if (problems.length > 0) throw new Error(problems.join("\n"));
      });
    },
    async create(inputs) {
      runtime.shared.sync();
      return attempt(
        advice,
        async () => plain(await runtime.during(handler.create(writtenOf(withoutNews(inputs))))),
        inputs,
      );
    },
    async read(id, props, urn) {
      runtime.shared.run.owner ??= urn;
      return attempt(advice, async () => {
        const isState = hasAddress(props);
        const state = isState ? withoutText(props) : normalOf(props);
        const read = await handler.read(id, state).catch(isState ? explainRead : rethrow);
        if (!read) return plain(GONE);
        const { inputs, ...found } = read;
        if (!isState && spelled(found.id) !== spelled(id))
          throw new Error(`The arguments name ${found.id}, and the id ${id}.`);
        const written = asWritten(inputs, normal);
        // Without inputs the engine keeps those of the state, in the spelling of the last program.
        const hasMore = found.props.found !== undefined || found.props.adopted !== undefined;
        const isSame = isState && !hasMore && sameJson(written, asWritten(argumentsIn(props, inputs), normal));
        // That of the state: the configuration may have another one by now. One of the environment is no input.
        const isNamed = props[PROVIDER_KEY] !== undefined && Object.keys(handler.addresses(written)).length > 0;
        const places = isNamed ? addressesIn(props) : {};
        return plain(isSame ? found : { ...found, inputs: { ...written, ...places } });
      });
    },
    async update(id, olds, news, ignoring) {
      runtime.shared.sync();
      const about = () => (ignoring ? ignoredBy(ignoring) : {});
      const update = () => runtime.during(handler.update(id, withoutText(olds), writtenOf(withoutNews(news)), about()));
      return attempt(advice, async () => plain(await update()), news, id);
    },
    async delete(id, props, urn) {
      runtime.shared.run.owner ??= urn;
      runtime.shared.sync();
      await attempt(advice, () => runtime.during(handler.delete(id, withoutText(props))));
    },
  };
}

/** Loads the code for requests after the answer, while the engine writes its state. Runs without a change do not pay for it. */
function prepareToSend(): void {
  setImmediate(loadAgent);
}

/** Answer for a resource that no longer exists. */
const GONE = { id: "", props: {} };

/** No refresh runs, and nothing is in the state yet. */
function rethrow(error: unknown): never {
  throw error;
}

/** A failed read ends the refresh of the whole stack, since no error may count as an empty set. */
function explainRead(error: unknown): never {
  throw new Error(
    `${messageOf(error)} The state is unchanged; to refresh the rest of the stack, leave this resource out with --exclude, or name others with --target.`,
  );
}

/**
 * The reason carries path and remedy; a `property` would make the engine print that property's whole value.
 * The engine shows a double quote in it as \", hence the others.
 */
function failures(problems: readonly string[]): { property: string; reason: string }[] {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((text) => ({ property: "", reason: text.replaceAll('"', "'") }));
  const rest = problems.length - shown.length;
  return rest > 0 ? [...shown, { property: "", reason: `… and ${rest} more problems.` }] : shown;
}

async function attempt<T>(advice: Advice, work: () => Promise<T>, inputs?: JsonObject, id?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reasons = advice.once(error instanceof PartialFailure ? error.reasons : [messageOf(error)]);
    const fresh = clean(error, reasons.join("\n"));
    if (!(error instanceof PartialFailure) || !inputs) throw fresh;
    throw Object.assign(fresh, {
      id: error.id ?? id,
      properties: plain({ ...error.outputs, [PROVIDER_KEY]: inputs[PROVIDER_KEY] }),
      reasons,
    });
  }
}

/** A new error with the message alone: the server prints message and stack, and forwards `code` and `details`. */
function clean(error: unknown, message = messageOf(error)): Error {
  const fresh = new Error(message);
  const isOurs = error instanceof Error && error.name !== "TypeError" && error.name !== "ReferenceError";
  if (isOurs) fresh.stack = "";
  return fresh;
}

/** The input that names restored entries, unlike that of an earlier run: the engine compares the two. */
function restoresInput(text: string | undefined, before: unknown): JsonObject {
  if (text === undefined) return {};
  return { [RESTORES]: text === before ? `${text}, again` : text };
}

/** An id without what a spelling leaves open: blanks, nodes behind `@`, host bits that are zero. */
function spelled(id: string): string {
  const [named = ""] = id.split("@");
  const [place = "", prefix] = named.split("#").map((part) => part.trim());
  return prefix === undefined ? place : `${place}#${attempted(() => Prefix.parse(prefix).toString()) ?? prefix}`;
}

function withoutText({ [PROVIDER_KEY]: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Inputs without the text about restored entries: it is for people, and no state keeps it. */
function withoutNews({ [RESTORES]: _, ...rest }: JsonObject): JsonObject {
  return withoutText(rest);
}

/** Arguments in outputs, by the names of inputs. */
function argumentsIn(outputs: JsonObject, inputs: JsonObject): JsonObject {
  const names = [...Object.keys(inputs), ...ADDED, GIVEN_KEY];
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => names.includes(name)));
}

function addressesIn(props: JsonObject): JsonObject {
  return Object.fromEntries(ADDRESSES.flatMap((name) => (props[name] === undefined ? [] : [[name, props[name]]])));
}

/** Drops members that are `undefined`, on which the server fails after the change is done. */
function plain<T>(value: T): T {
  return isJson(value) ? value : JSON.parse(JSON.stringify(value));
}

/** True if a copy would be equal: copying ten thousand entries takes longer than their check. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isJson);
  if (isObject(value))
    return Object.getPrototypeOf(value) === Object.prototype && !someMember(value, (member) => !isJson(member));
  return typeof value === "string" || typeof value === "boolean" || value === null;
}
