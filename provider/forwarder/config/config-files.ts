import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Document, isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { OptionsError } from "../../client";
import { messageOf } from "../../model/errors";
import { visible } from "../../model/foreign-text";
import { isObject } from "../../model/json";
import { ranOutOfStack } from "../../model/plain-data";
import { dataOf, PARSING, repeatedKeys, yamlMessage } from "../../model/yaml";
import { Unavailable } from "../unavailable";

export const MAX_PROBLEMS = 20;

/** A configuration as it was written, with the places of its members. */
interface Written {
  readonly config: unknown;
  /** As `file:line:column`. */
  place(path: readonly PropertyKey[]): string;
}

/**
 * Reads a configuration from a YAML file, or from all files of a folder whose names end in `.yaml` or `.yml`, in the order of their
 * names: members of `nodes` are merged, and `watch` and `sinks` are joined in that order. Any other member may be in one file only.
 *
 * @throws {OptionsError} for what is no YAML, and for what two files say; {@link Unavailable} for what cannot be read.
 */
export async function readConfig(path: string): Promise<Written & { readonly folder: string }> {
  if (!(await stat(path).catch(() => undefined))?.isDirectory()) {
    return { ...(await readOne(path)), folder: dirname(resolve(path)) };
  }
  const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort();
  if (names.length === 0) throw new Unavailable(`The configuration ${path} is a folder without a file of YAML.`);
  return { ...joined(await Promise.all(names.map((name) => readOne(join(path, name))))), folder: resolve(path) };
}

function joined(files: readonly Written[]): Written {
  // An empty file has no part; a file that is not an object is reported as an invalid configuration.
  const odd = files.find(({ config }) => !isObject(config) && config !== null);
  if (odd) return odd;
  const config: Record<string, unknown> = {};
  /** Places of members, and of elements of lists and nodes, by `name` and `name/element`. */
  const origins = new Map<string, (rest: readonly PropertyKey[]) => string>();
  const note = (key: string, file: Written, path: readonly PropertyKey[]): void => {
    const before = origins.get(key);
    if (before) throw new OptionsError(`${file.place(path)}: \`${path.join(".")}\` stands at ${before([])} already`);
    origins.set(key, (rest) => file.place([...path, ...rest]));
  };
  for (const file of files) {
    for (const [name, value] of Object.entries(isObject(file.config) ? file.config : {})) {
      const before = config[name];
      if (Array.isArray(value) && Array.isArray(before ?? [])) {
        const all = Array.isArray(before) ? before : [];
        for (const [index] of value.entries()) note(`${name}/${all.length + index}`, file, [name, index]);
        config[name] = [...all, ...value];
      } else if (name === "nodes" && isObject(value) && isObject(before ?? {})) {
        for (const node of Object.keys(value)) note(`${name}/${node}`, file, [name, node]);
        config[name] = { ...(isObject(before) && before), ...value };
      } else {
        note(name, file, [name]);
        config[name] = value;
      }
      if (!origins.has(name)) note(name, file, [name]);
    }
  }
  const place = ([name = "", second, ...rest]: readonly PropertyKey[]): string =>
    origins.get(`${String(name)}/${String(second)}`)?.(rest) ??
    origins.get(String(name))?.(second === undefined ? [] : [second, ...rest]) ??
    files[0]?.place([]) ??
    "configuration";
  return { config, place };
}

async function readOne(file: string): Promise<Written> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Unavailable(`The configuration ${file} cannot be read: ${messageOf(error)}.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { ...PARSING, lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${basename(file)}:${line}:${col}`;
  };
  if (document.errors.some(ranOutOfStack)) throw new OptionsError(`${basename(file)} is nested too deeply.`);
  const twice = (name: string) => `the key ${visible(JSON.stringify(name))} appears twice: keep one of them`;
  const problems = [
    ...document.errors.map((error) => ({ offset: error.pos[0], message: yamlMessage(error) })),
    ...repeatedKeys(document).map(({ name, offset }) => ({ offset, message: twice(name) })),
  ];
  const sentences = problems.slice(0, MAX_PROBLEMS).map(({ offset, message }) => `${at(offset)}: ${message}`);
  if (sentences.length > 0) throw new OptionsError(sentences.join("\n"));
  try {
    return { config: dataOf(document, text), place: (path) => at(offsetOf(document, path) ?? 0) };
  } catch (error) {
    throw new OptionsError(`The configuration ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** Offset of the deepest existing part of a path: of its value, or of its name. */
function offsetOf({ contents }: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  let offset = contents?.range[0];
  let node: unknown = contents;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
    const next = isSeq(node) ? node.items[Number(part)] : pair?.value;
    const place = [next, pair?.key].find((one) => isScalar(one) || isCollection(one));
    if (!place) break;
    offset = place.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}
