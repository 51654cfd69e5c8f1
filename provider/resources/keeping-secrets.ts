import type { DynamicProvider } from "./dynamic-provider";
import type { JsonObject } from "./json";
import { namesIn, type SecretArguments } from "./secret-arguments";
import { SECRET_MARK, SECRETS_KEY } from "./secret-names";

/** Marks of outputs that no input becomes: only the engine needs them. */
const OUTPUT_MARKS = ["started"];

/** Outputs of prefixes whose entries came from the node; they only help to name what an update does to them. */
const FOUND_LISTS = ["adopted", "found"];

/**
 * A provider that keeps secrets: it learns them before anything is done, and hides them in every error. What the classes
 * send beside the arguments goes round the resource and into its state.
 */
export function keepingSecrets(provider: DynamicProvider, secrets: SecretArguments): DynamicProvider {
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
        return { id, outs: { ...withoutSecretPrefixes(outs, secrets), ...hiddenIn(inputs) } };
      }, inputs),
    read: (id, props) =>
      hidden(async () => {
        learn(props);
        const read = await provider.read(id, plain(props));
        if (read.id === "") return read;
        const inputs = read.inputs && { inputs: { ...read.inputs, ...hiddenIn(props) } };
        return { ...read, ...inputs, props: { ...withoutSecretPrefixes(read.props, secrets), ...hiddenIn(props) } };
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

/** Lists of what was found at the node repeat prefixes that may be secret, and no input marks them in the state. */
function withoutSecretPrefixes(outs: JsonObject, secrets: SecretArguments): JsonObject {
  const lists = FOUND_LISTS.flatMap((key) => {
    const prefixes = outs[key];
    return Array.isArray(prefixes) ? [[key, prefixes.filter((prefix) => !secrets.holds(String(prefix)))]] : [];
  });
  return { ...outs, ...Object.fromEntries(lists) };
}

function hiddenIn({ [SECRETS_KEY]: names }: JsonObject): JsonObject {
  return names === undefined ? {} : { [SECRETS_KEY]: names };
}

function marksIn(props: JsonObject): JsonObject {
  return Object.fromEntries(OUTPUT_MARKS.filter((key) => props[key] === SECRET_MARK).map((key) => [key, SECRET_MARK]));
}

/** The same error with other words; after a partial failure the engine keeps its `properties` as the state. */
function cleaned(error: unknown, secrets: SecretArguments, inputs: JsonObject): unknown {
  if (!(error instanceof Error)) return error;
  const stack = secrets.hide(error.stack ?? "");
  error.message = secrets.hide(error.message);
  error.stack = stack;
  const failure: Error & { properties?: JsonObject; reasons?: string[] } = error;
  if (failure.properties)
    failure.properties = { ...withoutSecretPrefixes(failure.properties, secrets), ...hiddenIn(inputs) };
  if (failure.reasons) failure.reasons = failure.reasons.map((reason) => secrets.hide(reason));
  return error;
}
