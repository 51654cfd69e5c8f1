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
}

/** What the program is about. */
export interface ProgramContent {
  readonly endpoint: string;
  readonly node?: string;
  readonly receiver?: string;
  readonly sets: readonly DeclaredSet[];
  readonly signaling?: { readonly name: string; readonly prefixes: readonly string[] };
}

/** The name of the prefix file beside the program, where the set is large. */
export function prefixFile({ held, name }: DeclaredSet): string | undefined {
  return held.entries.size > INLINE ? `${name}.json` : undefined;
}

/** The TypeScript program that declares exactly what `import.json` brings into the state. */
export function programText(content: ProgramContent): string {
  const usesFiles = content.sets.some((set) => prefixFile(set) !== undefined);
  return [
    HEAD,
    usesFiles ? 'import { join } from "node:path";\n' : "",
    'import * as pf from "pulumi-packetfilter";\n',
    ...content.sets.map((set) => `\n${declaration(set, content)}`),
    content.signaling ? `\n${signalingDeclaration(content.signaling, content.receiver)}` : "",
  ].join("");
}

const HEAD = `/**
 * What a node held when "pulumi-packetfilter import" read it. import.json beside this file brings the same into the state:
 *
 *   pulumi import --file import.json --yes --generate-code=false
 *   pulumi preview --refresh --expect-no-changes
 */
`;

function declaration(set: DeclaredSet, { endpoint, node }: ProgramContent): string {
  const { held, name, as } = set;
  const place = written(placeArguments(held, node));
  const limits = written(limitArguments(held));
  const about = `// ${formatUrl(held.url)} at ${endpoint}\n`;
  if (as === "set")
    return about + construction("PrefixSet", text(name), [...place, `entries: ${source(set)}`, ...limits]);
  const members = [...place, "prefix", prefixFile(set) === undefined ? "value" : "value: entry.value", ...limits];
  // The names are those of import.json. A program without a tsconfig knows no replaceAll.
  const resource = construction("PrefixSetEntry", `${text(`${name}-`)} + prefix.replace(/:/g, "-")`, members);
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
  receiver: string | undefined,
): string {
  const members = [...written({ receiver }), `prefixes: [${prefixes.map(text).join(", ")}]`];
  return `// These ran before, so that a destroy leaves them: stops: "all" would end them, too.\n${construction("CloudSignaling", text(name), members)}`;
}

function construction(type: string, name: string, members: readonly string[]): string {
  return `new pf.${type}(${name}, {\n${members.map((member) => indented(`${member},\n`)).join("")}});\n`;
}

/** Members as they stand in an object literal; those without a value are left out. */
function written(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${literal(value)}`],
  );
}

function literal(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return isObject ? `{ ${written({ ...value }).join(", ")} }` : text(value);
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

function indented(lines: string): string {
  return lines.replaceAll(/^(?=.)/gm, "  ");
}
