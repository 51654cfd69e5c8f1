import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { connectEmulator, type RemoteEmulator } from "../../../provider/emulator";
import { Guide } from "../../support/guide";
import { ownPort } from "../../support/ports";
import { TestStack } from "./stack";

const root = process.cwd();
const NAME = "pulumi-packetfilter";
const run = promisify(execFile);
let packed: Promise<string> | undefined;

/** The folder of the package as npm packs it, beside which the libraries of the clone lie. */
function packedPackage(): Promise<string> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<string> {
  const folder = await mkdtemp(join(process.env.PACKETFILTER_E2E_STACKS ?? tmpdir(), "packed-"));
  await run("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder], { cwd: root });
  const [archive = ""] = await readdir(folder);
  await run("tar", ["-xf", archive], { cwd: folder });
  await rm(join(folder, archive));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return join(folder, "package");
}

/** Addresses and options of READMEs that name a port. */
const PORT = /(?<=127\.0\.0\.1:|-port )\d{4}\b/g;

/** A reader of examples, with the packed package and a CLI, who has all its examples in a folder, installed. */
export class Reader implements AsyncDisposable {
  private printed = "";

  private constructor(
    private readonly stack: TestStack,
    private readonly example: string,
    private readonly ports = new Map<string, string>(),
  ) {}

  static async of(example: string): Promise<Reader> {
    const reader = new Reader(await TestStack.create({ program: "", withPassphrase: true }), example);
    const from = join(await packedPackage(), "examples");
    for (const name of await readdir(from)) {
      await cp(join(from, name), reader.folderOf(name), { recursive: true });
      if (existsSync(join(from, name, "README.md"))) await install(reader.folderOf(name));
    }
    return reader;
  }

  /** The same reader at another example, whose README names the same servers by the same ports. */
  at(example: string): Reader {
    return new Reader(this.stack, example, this.ports);
  }

  get folder(): string {
    return this.folderOf(this.example);
  }

  get env(): Readonly<Record<string, string>> {
    const { PULUMI_STACK: _, ...env } = this.stack.variables;
    return env;
  }

  /** Types the README from its first command to its last; `beforeTheEnd` is called while its emulators run. Gives what was printed. */
  async follow(env: Readonly<Record<string, string>>, beforeTheEnd: () => Promise<void>): Promise<string> {
    const page = join(this.folder, "README.md");
    const shown = [...new Set((await readFile(page, "utf8")).match(PORT))];
    for (const port of shown) this.ports.set(port, this.ports.get(port) ?? String(await ownPort()));
    for (const file of (await readdir(this.folder)).filter((name) => /^Pulumi\.\w+\.yaml$/.test(name)))
      await this.rewrite(file);
    await using reading = new Guide(`../../examples/${this.example}/README.md`);
    reading.at({ folder: this.folder, env: { ...this.env, ...env }, instead: Object.fromEntries(this.ports) });
    let isOver = false;
    for (let [next] = reading.left(); next !== undefined; [next] = reading.left()) {
      if (next.includes("emulator stop")) {
        isOver = true;
        await beforeTheEnd();
      }
      this.printed += await reading.next("");
    }
    if (!isOver) await beforeTheEnd();
    return this.printed;
  }

  /** The emulator that the README starts at this port. */
  async emulatorAt(port: string): Promise<RemoteEmulator> {
    const ready = new RegExp(`node API http://127.0.0.1:${this.ports.get(port)}/.*?control (http://[\\d.:]+)`);
    const [, control = `no emulator at ${port}:\n${this.printed}`] = ready.exec(this.printed) ?? [];
    return connectEmulator(control);
  }

  /** Has this server stand in for the one at a port of the README. */
  standsIn(port: string, url: string): void {
    this.ports.set(port, new URL(url).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack[Symbol.asyncDispose]();
  }

  private folderOf(example: string): string {
    return join(this.stack.folder, "examples", example);
  }

  private async rewrite(file: string): Promise<void> {
    const path = join(this.folder, file);
    const text = await readFile(path, "utf8");
    await writeFile(
      path,
      text.replace(PORT, (port) => this.ports.get(port) ?? port),
    );
  }
}

/** Links the packages that an example's `package.json` names, or else its README's `npm install`, and nothing else. */
async function install(folder: string): Promise<void> {
  const manifest = join(folder, "package.json");
  const wanted = existsSync(manifest)
    ? namesIn(JSON.parse(await readFile(manifest, "utf8")))
    : [NAME, "@pulumi/pulumi"];
  // Libraries of libraries, which npm puts beside them.
  for (const name of new Set([...wanted.filter((one) => !one.startsWith("@types/")), "@types"])) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(name === NAME ? await packedPackage() : join(root, "node_modules", name), link);
  }
  const commands = join(folder, "node_modules/.bin");
  await mkdir(commands);
  const cli = join(await packedPackage(), "dist/provider/cli.js");
  await chmod(cli, 0o755);
  await symlink(cli, join(commands, NAME));
  if (wanted.includes("vitest")) await symlink(join(root, "node_modules/vitest/vitest.mjs"), join(commands, "vitest"));
}

const namesIn = ({ dependencies, devDependencies }: Record<string, object>) =>
  Object.keys({ ...dependencies, ...devDependencies });
