import { type JsonObject, membersOf, sameJson, without } from "../model/json";
import { GIVEN_KEY } from "../reconcile/written-inputs";
import type { DynamicProvider } from "./dynamic-provider";
import { namesIn, type SecretArguments } from "./secret-arguments";
import { HOLDING_PREFIXES, LISTS, LISTS_KEY, SECRET_MARK, SECRET_PREFIXES, SECRETS_KEY } from "./secret-names";

/** Marks for outputs without an input of that name: only the engine needs them. */
const OUTPUT_MARKS = ["started", "notes", LISTS_KEY];

/**
 * A provider that keeps secrets: it records them before each call, and hides them in every error. Marks that the classes send
 * beside the arguments bypass the handler and go into the state.
 */
export function keepingSecrets(provider: DynamicProvider, secrets: SecretArguments): DynamicProvider {
  /** @param known Properties of the resource; the secrets of the last ones are hidden in errors. */
  const hidden = async <T>(known: readonly JsonObject[], work: () => Promise<T>): Promise<T> => {
    try {
      for (const props of known) secrets.record(props);
      return await work();
    } catch (error) {
      throw cleaned(error, secrets, known.at(-1) ?? {});
    }
  };
  const isArgument = (name: string) => provider.args.includes(name) || name === "notes";
  return {
    args: provider.args,
    configure: (request) => provider.configure(request),
    normal: (inputs) => provider.normal(inputs),
    check: (olds, news, urn) =>
      hidden([olds, news], async () => {
        const { inputs, failures } = await provider.check(plain(olds), plain(news), urn);
        secrets.record({ ...inputs, ...hiddenIn(news) });
        const isSecret = hasSecretPrefixes(news);
        const shown = failures.map((failure) => ({ ...failure, reason: secrets.hide(failure.reason, isSecret) }));
        return { inputs: { ...marksIn(news), ...inputs, ...hiddenIn(news) }, failures: shown };
      }),
    diff: (id, olds, news, urn, ignoring) =>
      hidden([olds, news], async () => {
        const answer = await provider.diff(id, plain(olds), plain(news), urn, ignoring);
        // The state still shows, or hides, an argument that has become a secret since, or is none any more. Outputs are no matter.
        const [before, after] = [olds, news].map((props) => namesIn(props).filter(isArgument).sort());
        if (answer.changes === false && !sameJson(before, after)) return {};
        // The inputs lack these differences, so the engine cannot see them.
        const isHiddenDrift = hasSecretPrefixes(olds) && plain(olds).differs !== undefined;
        return isHiddenDrift && answer.changes === undefined ? { ...answer, changes: true } : answer;
      }),
    foresee: (inputs) => hidden([inputs], () => provider.foresee(plain(inputs))),
    create: (inputs) =>
      hidden([inputs], async () => {
        const { id, outs } = await provider.create(plain(inputs));
        return { id, outs: kept(outs, inputs, secrets) };
      }),
    read: (id, props, urn) =>
      hidden([props], async () => {
        const read = await provider.read(id, plain(props), urn);
        if (read.id === "") return read;
        const marks = {
          ...(props[LISTS_KEY] !== undefined && { [LISTS_KEY]: SECRET_MARK }),
          ...(props.notes !== undefined && namesIn(props).length > 0 && { notes: SECRET_MARK }),
        };
        const shown = hasSecretPrefixes(props) && read.inputs ? without(read.inputs, LISTS) : read.inputs;
        const inputs = shown && { inputs: { ...shown, ...marks, ...hiddenIn(props) } };
        return { ...read, ...inputs, props: kept(read.props, props, secrets) };
      }),
    update: (id, olds, news, ignoring) =>
      hidden([olds, news], async () => {
        const { outs } = await provider.update(id, plain(olds), plain(news), ignoring);
        return { outs: kept(outs, news, secrets) };
      }),
    delete: (id, props, urn) => hidden([props], () => provider.delete(id, plain(props), urn)),
  };
}

/** Arguments and outputs for the handler, without the marks of secrets. */
function plain({ [SECRETS_KEY]: _, [SECRET_PREFIXES]: __, [LISTS_KEY]: lists, ...props }: JsonObject): JsonObject {
  const given = Object.entries(props).filter(([, value]) => value !== SECRET_MARK);
  return { ...Object.fromEntries(given), ...membersOf(lists) };
}

/**
 * The new state. Lists of prefixes go into one output that the engine keeps as a secret, since its input was marked as one.
 * A resource without that mark loses the prefixes that are known to be secret.
 */
function kept(all: JsonObject, props: JsonObject, secrets: SecretArguments): JsonObject {
  const visible = withoutSecretReason(all, (text) => secrets.hide(text, hasSecretPrefixes(props)));
  // Secret notes are among what the program wrote.
  const outs = namesIn(props).length > 0 && props[LISTS_KEY] === undefined ? without(visible, [GIVEN_KEY]) : visible;
  if (!hasSecretPrefixes(props)) return { ...outs, ...hiddenIn(props) };
  const named = Object.fromEntries(Object.entries(outs).filter(([key]) => LISTS.includes(key)));
  const others = Object.fromEntries(Object.entries(outs).filter(([key]) => !LISTS.includes(key)));
  if (props[LISTS_KEY] === undefined) return { ...outs, ...withoutSecrets(outs, secrets), ...hiddenIn(props) };
  const isEmpty = Object.keys(named).length === 0;
  return { ...others, ...hiddenIn(props), [LISTS_KEY]: isEmpty ? SECRET_MARK : named };
}

/** Outputs with the reason of a wave that did not pass as the error has it. */
function withoutSecretReason(outs: JsonObject, hide: (text: string) => string): JsonObject {
  const { reason, ...rollout } = membersOf(outs.rollout);
  return typeof reason === "string" ? { ...outs, rollout: { ...rollout, reason: hide(reason) } } : outs;
}

/** Lists of adopted, found and earlier prefixes, which serve messages; unsettled ones are needed to settle them. */
function withoutSecrets(outs: JsonObject, secrets: SecretArguments): JsonObject {
  const lists = ["adopted", "found", "existed"].flatMap((key) => {
    const prefixes = outs[key];
    return Array.isArray(prefixes) ? [[key, prefixes.filter((prefix) => !secrets.holds(String(prefix)))]] : [];
  });
  return Object.fromEntries(lists);
}

function hasSecretPrefixes(props: JsonObject): boolean {
  return namesIn(props).some((name) => HOLDING_PREFIXES.includes(name));
}

function hiddenIn({ [SECRETS_KEY]: names, [SECRET_PREFIXES]: arePrefixes }: JsonObject): JsonObject {
  return {
    ...(names !== undefined && { [SECRETS_KEY]: names }),
    ...(arePrefixes !== undefined && { [SECRET_PREFIXES]: arePrefixes }),
  };
}

function marksIn(props: JsonObject): JsonObject {
  return Object.fromEntries(OUTPUT_MARKS.filter((key) => props[key] === SECRET_MARK).map((key) => [key, SECRET_MARK]));
}

/** The error without secrets; after a partial failure the engine keeps its `properties` as the state. */
function cleaned(error: unknown, secrets: SecretArguments, props: JsonObject): unknown {
  if (!(error instanceof Error)) return error;
  const hide = (text: string) => secrets.hide(text, hasSecretPrefixes(props));
  const stack = hide(error.stack ?? "");
  error.message = hide(error.message);
  error.stack = stack;
  const failure: Error & { properties?: JsonObject; reasons?: string[] } = error;
  if (failure.properties) failure.properties = kept(failure.properties, props, secrets);
  if (failure.reasons) failure.reasons = failure.reasons.map(hide);
  return error;
}
