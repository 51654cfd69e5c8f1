import type { JsonObject } from "../model/json";
import { formatUrl } from "../model/resource-url";
import { limitArguments, placeArguments } from "./resources";
import type { HeldSet } from "./source";

/** Sets with more entries than this are read from a prefix file, which people and `block` can edit. */
const INLINE = 50;

/** A set, and how the program declares it. */
export interface DeclaredSet {
  readonly held: HeldSet;
  readonly name: string;
  readonly as: "set" | "entries";
  /** Names of the nodes that hold it equally, where one `PrefixSetGroup` declares it for all of them. */
  readonly nodes?: readonly string[];
}

/** The subject of the program. */
export interface ProgramContent {
  readonly receiver?: string;
  readonly sets: readonly DeclaredSet[];
  readonly signaling?: { readonly name: string; readonly prefixes: readonly string[] };
  /** True: every resource has `protect: true`. */
  readonly isProtected: boolean;
}

/** The name of the prefix file beside the program, where the set is large. @throws {TypeError} for a name that is no name of a file of its own */
export function prefixFile({ held, name }: DeclaredSet): string | undefined {
  if (held.entries.size <= INLINE) return undefined;
  if (/^\w[\w.-]*$/.test(name) && name !== "import") return `${name}.json`;
  throw new TypeError(
    `${formatUrl(held.url)}: its entries are written to a file with the name of the resource, which ${JSON.stringify(name)} cannot be: choose another with --name.`,
  );
}

/** The TypeScript program that declares exactly what `import.json` brings into the state. */
export function programText(content: ProgramContent): string {
  const usesFiles = content.sets.some((set) => prefixFile(set) !== undefined);
  return [
    head(content),
    usesFiles ? 'import { join } from "node:path";\n' : "",
    'import * as pf from "pulumi-packetfilter";\n',
    ...content.sets.map((set) => `\n${declaration(set, content)}`),
    content.signaling ? `\n${signalingDeclaration(content.signaling, content)}` : "",
  ].join("");
}

function head({ isProtected }: ProgramContent): string {
  return `/**
 * Content of a node as "pulumi-packetfilter import" read it. import.json beside this file brings the same into the state:
 *
 *   ${importCommand("import.json", isProtected)}
 *   pulumi preview --refresh --expect-no-changes
 */
`;
}

/**
 * The command that takes an import file. What it protects, the program must protect, too: else the first `up` ends it.
 *
 * @param hasProgram False where the engine is to print the program, in the language of the stack.
 */
export function importCommand(file: string, isProtected: boolean, hasProgram = true): string {
  return `pulumi import --file ${file} --yes${hasProgram ? " --generate-code=false" : ""}${isProtected ? "" : " --protect=false"}`;
}

function declaration(set: DeclaredSet, { isProtected }: ProgramContent): string {
  const { held, name, as } = set;
  const place = written(placeArguments(held, set.nodes));
  const limits = written(limitArguments(held));
  const about = `// ${formatUrl(held.url)} at ${set.nodes ? "each of these nodes" : held.endpoint}\n`;
  if (as === "set")
    return (
      about +
      construction(
        set.nodes ? "PrefixSetGroup" : "PrefixSet",
        text(name),
        [...place, `entries: ${source(set)}`, ...limits],
        isProtected,
      )
    );
  const members = [...place, "prefix", prefixFile(set) === undefined ? "value" : "value: entry.value", ...limits];
  // The names are those of import.json. A program without a tsconfig knows no replaceAll.
  const resource = construction(
    "PrefixSetEntry",
    `${text(`${name}-`)} + prefix.replace(/:/g, "-")`,
    members,
    isProtected,
  );
  const item = prefixFile(set) === undefined ? "value" : "entry";
  return `${about}for (const [prefix, ${item}] of Object.entries(${source(set)})) {\n${indented(resource)}}\n`;
}

/** An object of prefixes, or the call that reads them from the file beside the program. */
function source(set: DeclaredSet): string {
  const file = prefixFile(set);
  if (file !== undefined) return `pf.readPrefixFile(join(__dirname, ${text(file)}))`;
  if (set.held.entries.size === 0) return "{}";
  const lines = [...set.held.entries].map(([prefix, value]) => `  ${text(prefix)}: ${value},\n`);
  return `{\n${lines.join("")}}`;
}

function signalingDeclaration(
  { name, prefixes }: NonNullable<ProgramContent["signaling"]>,
  { receiver, isProtected }: ProgramContent,
): string {
  const members = [...written({ receiver }), `prefixes: [${prefixes.map(text).join(", ")}]`];
  return `// These ran before, so that a destroy leaves them: stops: "all" would end them, too.\n${construction("CloudSignaling", text(name), members, isProtected)}`;
}

/** Written as formatters write it. */
function construction(type: string, name: string, members: readonly string[], isProtected: boolean): string {
  const args = `{\n${members.map((member) => indented(`${member},\n`)).join("")}}`;
  if (!isProtected) return `new pf.${type}(${name}, ${args});\n`;
  const all = [name, args, "{ protect: true }"];
  return `new pf.${type}(\n${all.map((argument) => indented(`${argument},\n`)).join("")});\n`;
}

/** Members in the form of an object literal; those without a value are left out. */
function written(members: JsonObject): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${literal(value)}`],
  );
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const isObject = typeof value === "object" && value !== null;
  return isObject ? `{ ${written({ ...value }).join(", ")} }` : text(value);
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

function indented(lines: string): string {
  return lines.replaceAll(/^(?=.)/gm, "  ");
}
