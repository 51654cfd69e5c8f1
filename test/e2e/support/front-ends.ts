import { mkdtemp } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { LANGUAGES, languageHosts } from "./languages";
import { type TestStack, TYPES_ARE_CHECKED } from "./stack";

/** Ways in which a program gets at the resources: dynamic resources of TypeScript, and the plugin from two other languages. */
export const FRONT_ENDS = ["dynamic", "YAML", "Python"] as const;
export type FrontEnd = (typeof FRONT_ENDS)[number];

/** A resource, in no language. */
export interface Declared {
  readonly name: string;
  readonly type: "PrefixSet" | "PrefixSetGroup" | "PrefixSetEntry" | "CloudSignaling" | "Provider";
  /** Arguments, by the names of the TypeScript classes. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Options, by the names of the TypeScript SDK. */
  readonly options?: Readonly<Record<string, unknown>>;
}

class Marked {
  constructor(
    readonly kind: "secret" | "resource" | "code",
    readonly value: unknown,
  ) {}
}

/** A value that the program makes a secret: `pulumi.secret`, `fn::secret`, `pulumi.Output.secret`. */
export const secret = (value: unknown) => new Marked("secret", value);
/** Another resource of the program, or an output of it, whose name is the same in every language. */
export const resource = (name: string, output?: string) =>
  new Marked("resource", output === undefined ? name : `${name}.${output}`);
/** An expression of the language, in Python with the names of Python. */
export const code = (text: string) => new Marked("code", text);

/** A type, as urns of this front end have it. */
const tokenIn = (frontEnd: FrontEnd, type: string) =>
  frontEnd === "dynamic" ? `pulumi-nodejs:dynamic/packetfilter:${type}` : `packetfilter:index:${type}`;

export const urnIn = (frontEnd: FrontEnd, type: string, name: string) =>
  `urn:pulumi:test::journey::${tokenIn(frontEnd, type)}::${name}`;

/** Makes a stack whose program is JavaScript one of this front end, with its language host and SDK. */
export async function prepare(frontEnd: FrontEnd, stack: TestStack): Promise<void> {
  if (frontEnd === "dynamic") return stack.environment(TYPES_ARE_CHECKED);
  const bin = await languageHosts();
  const language = frontEnd.toLowerCase();
  const project = (await stack.read("Pulumi.yaml")).replace("runtime: nodejs", `runtime: ${language}`);
  await stack.write("Pulumi.yaml", project);
  stack.environment({ PATH: [stack.variables.PATH, bin].join(delimiter), HOME: process.env.HOME });
  if (frontEnd === "Python") stack.environment(await python(stack.variables));
  projects.set(stack, project);
}

let pythonSdk: ReturnType<typeof python> | undefined;

/** The environment of programs in Python, whose SDK is made once. */
function python(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const make = async () => {
    const folder = await mkdtemp(join(process.env.PACKETFILTER_E2E_STACKS ?? "", "python-"));
    return (await LANGUAGES.python?.({ folder, env })) ?? {};
  };
  pythonSdk ??= make();
  return pythonSdk;
}

/** `Pulumi.yaml` without resources, of stacks whose program stands in it. */
const projects = new WeakMap<TestStack, string>();

/** Writes the program. @param more Lines of JavaScript or Python after the resources. */
export async function declare(
  frontEnd: FrontEnd,
  stack: TestStack,
  resources: readonly Declared[],
  more = "",
): Promise<void> {
  const names = resources.map(({ name }) => name);
  if (frontEnd === "dynamic") return stack.program(resources.map((one) => inJavaScript(one, names)).join("") + more);
  if (frontEnd === "YAML") {
    const all = Object.fromEntries(resources.map((one) => [one.name, inYaml(one)]));
    return stack.write("Pulumi.yaml", `${projects.get(stack)}resources: ${JSON.stringify(all, undefined, 2)}\n`);
  }
  const head = "import pulumi\nimport pulumi_packetfilter as packetfilter\n\n";
  await stack.write("__main__.py", head + resources.map((one) => inPython(one, names)).join("") + more);
}

/** The name of its variable, no word of a language. */
const variable = (name: string) => `r_${name.replaceAll("-", "_")}`;

function inJavaScript({ name, type, args, options = {} }: Declared, names: readonly string[]): string {
  const literal = (value: unknown): string => {
    if (value instanceof Marked) {
      if (value.kind === "secret") return `pulumi.secret(${literal(value.value)})`;
      return value.kind === "code" ? String(value.value) : known(String(value.value), names);
    }
    if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${literal(member)}`)
      .join(", ")} }`;
  };
  return `const ${variable(name)} = new pf.${type}(${JSON.stringify(name)}, ${literal(args)}, ${literal(options)});\n`;
}

function inYaml({ type, args, options }: Declared): unknown {
  const literal = (value: unknown): unknown => {
    if (value instanceof Marked)
      return value.kind === "secret" ? { "fn::secret": literal(value.value) } : `\${${value.value}}`;
    if (Array.isArray(value)) return value.map(literal);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literal(member)]));
  };
  const token = type === "Provider" ? "pulumi:providers:packetfilter" : `packetfilter:${type}`;
  return { type: token, properties: literal(args), ...(options && { options: literal(options) }) };
}

function inPython({ name, type, args, options }: Declared, names: readonly string[]): string {
  const literal = (value: unknown, isTyped: boolean): string => {
    if (value instanceof Marked) {
      if (value.kind === "secret") return `pulumi.Output.secret(${literal(value.value, isTyped)})`;
      return value.kind === "code" ? String(value.value) : known(String(value.value), names);
    }
    if (Array.isArray(value)) return `[${value.map((one) => literal(one, isTyped)).join(", ")}]`;
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value !== "object" || value === null) return value === undefined ? "None" : JSON.stringify(value);
    const members = Object.entries(value).map(
      ([key, member]) =>
        `${JSON.stringify(isTyped ? snake(key) : key)}: ${literal(member, isTyped && key !== "headers")}`,
    );
    return `{${members.join(", ")}}`;
  };
  const given = (all: object) =>
    Object.entries(all)
      .map(([key, value]) => `${pythonName(key)}=${option(key, value)}, `)
      .join("");
  const option = (key: string, value: unknown) =>
    key === "customTimeouts" ? `pulumi.CustomTimeouts(**${literal(value, true)})` : literal(value, key !== "entries");
  const opts = options ? `opts=pulumi.ResourceOptions(${given(options)})` : "";
  return `${variable(name)} = packetfilter.${type}(${JSON.stringify(name)}, ${given(args)}${opts})\n`;
}

function known(reference: string, names: readonly string[]): string {
  const [name = "", ...output] = reference.split(".");
  if (!names.includes(name)) throw new Error(`the program declares no ${name}`);
  return [variable(name), ...output].join(".");
}

export const snake = (name: string) => name.replaceAll(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
const pythonName = (name: string) => (name === "import" ? "import_" : snake(name));
