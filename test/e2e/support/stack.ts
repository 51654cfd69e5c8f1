import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SDK_ENVIRONMENT } from "../../support/sdk-process";
import { KIND } from "./kind";
import { asText, configured, fullName } from "./stack-file";

/** Tests and benchmarks are started at the root of the clone. */
const root = process.cwd();

/** Result of a run of the CLI. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both outputs, for messages that may stand in either. */
  readonly text: string;
}

/** A resource in the state. */
interface StoredResource {
  readonly urn: string;
  readonly id: string;
  readonly provider: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
}

export interface StackOptions {
  /** The program, JavaScript unless `language` says otherwise; `pf` is the package, `pulumi` the SDK. */
  readonly program: string;
  readonly language?: "javascript" | "typescript";
  /** Further environment, for example `PACKETFILTER_ENDPOINT`. */
  readonly env?: Record<string, string>;
  /** Stack configuration; a key without a namespace gets `packetfilter:`. */
  readonly config?: Record<string, unknown>;
  /** Configuration that is stored encrypted. */
  readonly secrets?: Record<string, string>;
  /** Secrets are kept by the passphrase `e2e`, as users' are, for commands that read them without the engine. */
  readonly withPassphrase?: boolean;
}

/** For the `pulumi stack init` of a further stack, whose commands are then as quick as those of the first. */
export const SECRETS_PROVIDER = "--secrets-provider=hashivault://journeys";

/** Environment for a TypeScript program whose types another test or the compiler has checked: that is half of what it takes to start. */
export const TYPES_ARE_CHECKED = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** The package as programs load it: in the project `plugin` all their resources are the plugin's. */
const PACKAGE =
  KIND === "plugin"
    ? `require(${JSON.stringify(join(root, "test/e2e/support/native-package.cjs"))})(pulumi, require("pulumi-packetfilter"))`
    : 'require("pulumi-packetfilter")';

/** Project settings by which the engine finds the plugin; programs of dynamic resources do not load it. */
const PLUGIN =
  "plugins:\n  providers:\n    - name: packetfilter\n      path: node_modules/pulumi-packetfilter/plugin\n";

/** A project with one stack in a folder of its own, driven by the real CLI with a file backend. */
export class TestStack implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    private readonly language: "javascript" | "typescript",
    private env: Record<string, string>,
  ) {}

  static async create(options: StackOptions): Promise<TestStack> {
    // A benchmark has no set-up that made one already.
    const stacks = options.withPassphrase ? undefined : process.env.PACKETFILTER_E2E_STACKS;
    const folder = await mkdtemp(join(process.env.PACKETFILTER_E2E_STACKS ?? tmpdir(), "packetfilter-e2e-"));
    const language = options.language ?? "javascript";
    const env = {
      PATH: `${join(root, "node_modules", "node", "bin")}:${process.env.PATH}`,
      HOME: folder,
      PULUMI_HOME: join(folder, ".home"),
      PULUMI_BACKEND_URL: `file://${join(folder, ".backend")}`,
      PULUMI_CONFIG_PASSPHRASE: "e2e",
      VAULT_ADDR: process.env.PACKETFILTER_E2E_KEYS ?? "",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      PULUMI_STACK: "test",
      // Memory is no concern here, and collecting it is a part of what the engine computes.
      GOGC: "400",
      ...SDK_ENVIRONMENT,
      ...options.env,
    };
    const stack = new TestStack(folder, language, env);
    if (stacks === undefined) await mkdir(join(folder, ".backend"));
    else await cp(join(stacks, "empty"), folder, { recursive: true });
    await installPackage(folder);
    for (const name of stacks === undefined ? ["@pulumi", "typescript", "@types"] : []) {
      await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    await writeFile(join(folder, "Pulumi.yaml"), `name: journey\nruntime: nodejs\n${PLUGIN}`);
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "journey", main: stack.mainFile, private: true }),
    );
    await stack.program(options.program);
    const { config = {}, secrets = {} } = options;
    if (stacks !== undefined) {
      const file = "Pulumi.test.yaml";
      await stack.write(file, configured(await stack.read(file), config, secrets));
      return stack;
    }
    await stack.must("stack", "init", "test");
    const pairs = [
      ...Object.entries(config).flatMap(([key, value]) => ["--plaintext", `${fullName(key)}=${asText(value)}`]),
      ...Object.entries(secrets).flatMap(([key, value]) => ["--secret", `${fullName(key)}=${value}`]),
    ];
    if (pairs.length > 0) await stack.must("config", "set-all", ...pairs);
    return stack;
  }

  /** Replaces the program. */
  async program(text: string): Promise<void> {
    const head =
      this.language === "typescript"
        ? 'import * as pulumi from "@pulumi/pulumi";\nimport * as pf from "pulumi-packetfilter";\n'
        : `const pulumi = require("@pulumi/pulumi");\nconst pf = ${PACKAGE};\n`;
    await writeFile(join(this.folder, this.mainFile), head + text);
  }

  /** Sets or, with `undefined`, removes variables of the environment. */
  environment(changes: Record<string, string | undefined>): void {
    const merged = { ...this.env, ...changes };
    this.env = Object.fromEntries(
      Object.entries(merged).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
  }

  /** `pulumi up`, with the preview unless `--skip-preview` is among the arguments. */
  up(...args: string[]): Promise<Run> {
    return this.pulumi("up", "--yes", ...args);
  }

  preview(...args: string[]): Promise<Run> {
    return this.pulumi("preview", ...args);
  }

  destroy(...args: string[]): Promise<Run> {
    return this.pulumi("destroy", "--yes", "--skip-preview", ...args);
  }

  /** Folder of a reader of a guide who works on it, with the commands of the packages that are installed. */
  get place(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
    const PATH = `${join(this.folder, "node_modules", ".bin")}:${this.env.PATH}`;
    return { folder: this.folder, env: { ...this.env, PATH } };
  }

  /** The environment of its commands, for a shell that runs some itself. */
  get variables(): Readonly<Record<string, string>> {
    return this.env;
  }

  /** The resources of the state by name, `outputs` as they are stored. */
  async state(): Promise<Record<string, StoredResource>> {
    // What `pulumi stack export` prints, without its process.
    const { checkpoint } = JSON.parse(await this.read(".backend/.pulumi/stacks/journey/test.json"));
    const resources: StoredResource[] = checkpoint.latest?.resources ?? [];
    return Object.fromEntries(
      resources
        .filter(({ urn }) => /dynamic\/packetfilter|packetfilter:index:/.test(urn))
        .map(({ urn, id, provider, inputs, outputs }) => [
          urn.split("::").at(-1),
          { urn, id, provider, inputs, outputs },
        ]),
    );
  }

  /** A command that is expected to succeed. */
  async must(...args: string[]): Promise<Run> {
    const run = await this.pulumi(...args);
    if (run.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${run.code}:\n${run.text}`);
    return run;
  }

  /** The same of a command that is to fail. */
  async mustFail(...args: string[]): Promise<Run> {
    const run = await this.pulumi(...args);
    if (run.code === 0) throw new Error(`pulumi ${args.join(" ")} ended well:\n${run.text}`);
    return run;
  }

  /** Starts a command and returns at once; for tests that end a process half-way. */
  start(...args: string[]) {
    return spawn("pulumi", [...args, "--non-interactive", "--color", "never", "--cwd", this.folder], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  pulumi(...args: string[]): Promise<Run> {
    const stackArgs = ["stack", "config", "whoami", "plugin", "package", "do", "schema", "install"].includes(
      args[0] ?? "",
    )
      ? []
      : ["--stack", "test"];
    return finished(this.start(...args, ...stackArgs));
  }

  /** A file of the project. */
  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), "utf8");
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  private get mainFile(): string {
    return this.language === "typescript" ? "index.ts" : "index.js";
  }
}

/** The package in `node_modules`, as what npm would install of it: the engine walks through all of it at each start. */
async function installPackage(folder: string): Promise<void> {
  const installed = join(folder, "node_modules", "pulumi-packetfilter");
  await mkdir(installed, { recursive: true });
  for (const name of ["package.json", "dist", "plugin", "policies", "schemas"])
    await symlink(join(root, name), join(installed, name));
  const commands = join(folder, "node_modules", ".bin");
  await mkdir(commands);
  await symlink(join(installed, "dist/provider/cli.js"), join(commands, "pulumi-packetfilter"));
}

/** Waits for the end of a process. */
export function finished(child: ReturnType<TestStack["start"]>): Promise<Run> {
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr, text: stdout + stderr }));
  });
}
