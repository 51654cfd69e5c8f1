import { execFile } from "node:child_process";
import { cp, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { TYPES_ARE_CHECKED } from "./stack";

const root = process.cwd();

/** The folder of a program, and the environment of its commands. */
export interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a command, which is expected to succeed. */
export const run = async (command: string, args: readonly string[], folder: string) => {
  await promisify(execFile)(command, [...args], { cwd: folder, env: { ...process.env, CGO_ENABLED: "0" } });
};

/** The folder of the language hosts and of what writes a local SDK, made where it is missing. */
export async function languageHosts(): Promise<string> {
  const { ensurePart } = await import("../../../tools/pulumi-cli/parts.mjs");
  let bin = "";
  for (const part of ["python", "go", "yaml", "local-sdk"] as const) bin = await ensurePart(part);
  return bin;
}

/** Generators that the module proxy has in older versions only: tools/pulumi-cli/README.md. */
const OLDER = ["java", "dotnet"];

async function generate(language: string, folder: string, ...program: readonly string[]): Promise<void> {
  const { ensurePart } = await import("../../../tools/pulumi-cli/parts.mjs");
  const generator = OLDER.includes(language)
    ? join(await ensurePart("older-sdk"), "packetfilter-generate-older")
    : join(await languageHosts(), "packetfilter-generate");
  await run(generator, [language, join(root, "schemas/provider.schema.json"), folder, ...program], root);
}

/** A local SDK, as `pulumi package add` makes one with today's hosts, which Go cannot build: tools/pulumi-cli/README.md. */
export async function localSdk(language: string, folder: string): Promise<string> {
  const sdk = join(folder, "sdks/packetfilter");
  await generate(language, sdk);
  return sdk;
}

/**
 * Writes a program of PCL, the form in which `pulumi import` and `pulumi convert` hand one to the generator of a language, as that generator
 * does.
 */
export async function writtenBy(language: string, program: string, folder: string): Promise<void> {
  await generate(language, folder, program);
}

/** By language, what a program in it needs beside the package; gives the environment of its commands. */
export const LANGUAGES: Record<string, (place: Place) => Promise<Readonly<Record<string, string>>>> = {
  async yaml() {
    // Its host asks the plugin for the schema.
    return {};
  },
  async typescript() {
    return TYPES_ARE_CHECKED;
  },
  async nodejs({ folder }) {
    const sdk = await localSdk("nodejs", folder);
    const tsc = join(root, "node_modules/typescript/lib/tsc.js");
    await run(process.execPath, [tsc, "-p", ".", "--skipLibCheck"], sdk);
    // Its script after an installation does so.
    await cp(join(sdk, "package.json"), join(sdk, "bin/package.json"));
    return {};
  },
  async python({ folder, env }) {
    const { ensurePython } = await import("../../../tools/python/ensure.mjs");
    const venv = await ensurePython();
    await localSdk("python", folder);
    await run(join(venv, "bin/python"), ["-m", "compileall", "-q", "-f", "sdks/packetfilter"], folder);
    await symlink(venv, join(folder, "venv"));
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", "lib", "./sdks/packetfilter"];
    await run(join(venv, "bin/python"), pip, folder);
    // The host of 3.68.0 takes the first python3 on PATH, whatever the option "virtualenv" says.
    return { PATH: [join(venv, "bin"), env.PATH].join(delimiter), PYTHONPATH: join(folder, "lib") };
  },
  async go({ folder }) {
    await localSdk("go", folder);
    const module = "example.com/pulumi-packetfilter/sdk/go";
    await run("go", ["mod", "edit", `-replace=${module}=./sdks/packetfilter`], folder);
    await run("go", ["mod", "tidy"], folder);
    await run("go", ["vet", "."], folder);
    return {};
  },
};
