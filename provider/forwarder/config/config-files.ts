import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Document, isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { OptionsError } from "../../client";
import { messageOf } from "../../model/errors";
import { visible } from "../../model/foreign-text";
import { isObject } from "../../model/json";
import { ranOutOfStack } from "../../model/plain-data";
import { dataOf, PARSING, repeatedKeys } from "../../model/yaml";

/** Number of problems of a configuration that are reported. */
export const MAX_PROBLEMS = 20;

/** A configuration as it was written, and where its members stand. */
interface Written {
  readonly config: unknown;
  /** As `file:line:column`. */
  place(path: readonly PropertyKey[]): string;
}

/**
 * Reads a configuration from a YAML file, or from all files of a folder whose names end in `.yaml` or `.yml`, in the order of their
 * names: members of `nodes` are joined, and `watch` and `sinks` stand one behind the other. All else stands in one file only.
 *
 * @throws {OptionsError} for what cannot be read or is no YAML, and for what two files say.
 */
export async function readConfig(path: string): Promise<Written & { readonly folder: string }> {
  if (!(await stat(path).catch(() => undefined))?.isDirectory()) {
    return { ...(await readOne(path)), folder: dirname(resolve(path)) };
  }
  const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort();
  if (names.length === 0) throw new OptionsError(`The configuration ${path} is a folder without a file of YAML.`);
  return { ...joined(await Promise.all(names.map((name) => readOne(join(path, name))))), folder: resolve(path) };
}

/** Member of the configuration in a file. */
interface Part extends Written {
  readonly config: Record<string, unknown>;
}

function joined(files: readonly Written[]): Written {
  // An empty file has no part; a file that is no object is reported as a configuration that is none.
  const parts = files.filter((file): file is Part => isObject(file.config));
  const odd = files.find(({ config }) => !isObject(config) && config !== null);
  if (odd) return odd;
  const config: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part.config)) {
      const before = config[name];
      if (before === undefined) config[name] = value;
      else if (Array.isArray(before) && Array.isArray(value)) config[name] = [...before, ...value];
      else if (name === "nodes" && isObject(before) && isObject(value)) config[name] = both(before, value, part, parts);
      else throw new OptionsError(`${part.place([name])}: \`${name}\` stands at ${placed(parts, [name])} already`);
    }
  }
  return { config, place: (path) => placed(parts, path) };
}

/** @throws {OptionsError} where two files have a node of one name. */
function both(before: object, more: object, part: Part, parts: readonly Part[]): object {
  for (const name of Object.keys(more)) {
    if (!Object.hasOwn(before, name)) continue;
    const path = ["nodes", name];
    throw new OptionsError(`${part.place(path)}: \`nodes.${name}\` stands at ${placed(parts, path)} already`);
  }
  return { ...before, ...more };
}

/** Place of a member of the joined configuration in its file. */
function placed(parts: readonly Part[], [name = "", second, ...rest]: readonly PropertyKey[]): string {
  const having = parts.filter(({ config }) => Object.hasOwn(config, name));
  let index = Number(second);
  for (const { config, place } of having) {
    const value = config[String(name)];
    const length = Array.isArray(value) ? value.length : 0;
    if (length > 0 && index < length) return place([name, index, ...rest]);
    index -= length;
    if (second !== undefined && isObject(value) && Object.hasOwn(value, second)) return place([name, second, ...rest]);
  }
  return (having[0] ?? parts[0])?.place([name]) ?? "configuration";
}

async function readOne(file: string): Promise<Written> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new OptionsError(`The configuration ${file} cannot be read: ${messageOf(error)}.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { ...PARSING, lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${basename(file)}:${line}:${col}`;
  };
  if (document.errors.some(ranOutOfStack)) throw new OptionsError(`${basename(file)} is nested too deeply.`);
  const twice = (name: string) => `the key ${visible(JSON.stringify(name))} is there twice: keep one of them`;
  const problems = [
    ...document.errors.map(({ pos: [offset], message }) => ({ offset, message })),
    ...repeatedKeys(document).map(({ name, offset }) => ({ offset, message: twice(name) })),
  ];
  const told = problems.slice(0, MAX_PROBLEMS).map(({ offset, message }) => `${at(offset)}: ${message}`);
  if (told.length > 0) throw new OptionsError(told.join("\n"));
  try {
    return { config: dataOf(document, text), place: (path) => at(offsetOf(document, path) ?? 0) };
  } catch (error) {
    throw new OptionsError(`The configuration ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** Offset of the deepest existing part of a path: of what stands there, or of its name. */
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
