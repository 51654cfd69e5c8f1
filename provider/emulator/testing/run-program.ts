import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as automation from "@pulumi/pulumi/automation";
import { z } from "zod";
import { messageOf } from "../../model/errors";
import { strictly } from "../validation/strict";
import { type ConfigInput, type ProgramTarget, programConfig } from "./program-config";

/** Options of {@link runProgram}. */
export interface ProgramOptions {
  /** Folder of the program, with its `Pulumi.yaml`. Nothing is written there. */
  readonly workDir: string;
  /**
   * Name of the stack, default `test`. Settings of this name (`Pulumi.<stack>.yaml`) apply, except addresses and credentials
   * of nodes and receivers, which the emulator's replace.
   */
  readonly stack?: string;
  /**
   * Configuration, which precedes the stack's settings. A key without a namespace belongs to the project, as in `pulumi config
   * set`. A value is a text, a number, a boolean, an object or a list, or `{ value: "…", secret: true }`. Default: none.
   */
  readonly config?: Readonly<Record<string, ConfigInput>>;
}

/** A program under test in a temporary stack. Options and results are those of Pulumi's Automation API. */
export interface RunningProgram extends AsyncDisposable {
  /** `pulumi up`. @throws the Automation API's `CommandError`, with the engine's output, if it fails. */
  up(options?: automation.UpOptions): Promise<automation.UpResult>;
  /** `pulumi preview`; with `expectNoChanges: true`, changes make it fail. @throws as `up`. */
  preview(options?: automation.PreviewOptions): Promise<automation.PreviewResult>;
  /** `pulumi refresh`. @throws as `up`. */
  refresh(options?: automation.RefreshOptions): Promise<automation.RefreshResult>;
  /** `pulumi destroy`. @throws as `up`. */
  destroy(options?: automation.DestroyOptions): Promise<automation.DestroyResult>;
  /** Outputs of the stack: `{ value, secret }` by name. */
  outputs(): Promise<automation.OutputMap>;
}

const optionsSchema = z.strictObject({
  workDir: z.string().min(1),
  stack: z
    .string()
    .regex(/^[\w.-]+$/, "must be a name of letters, digits, dots, hyphens and underscores")
    .optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Runs a Pulumi program against an emulator, by Pulumi's Automation API: a new stack in the program's folder, with its state
 * in a temporary folder. Needs the Pulumi CLI on PATH. Environment variables for other nodes (`PACKETFILTER_*`), states and
 * secrets do not reach the program. Disposal ends running operations and removes the state, but changes nothing in the
 * emulator.
 *
 * @param emulator Result of `startEmulator` or `connectEmulator`, which replaces all nodes and receivers of the settings.
 * @throws {TypeError} if an option is wrong, or the folder has no `Pulumi.yaml`; {Error} without a CLI.
 * @example
 * ```ts
 * await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
 * await using program = await runProgram(emulator, { workDir: "." });
 * await program.up();
 * emulator.prefixSet("prefixset://edge/blocked").applied;   // what the program declares
 * await program.preview({ expectNoChanges: true });
 * ```
 */
export async function runProgram(emulator: ProgramTarget, options: ProgramOptions): Promise<RunningProgram> {
  const { stack: name = "test", config = {} } = strictly(optionsSchema, options, "runProgram()");
  const workDir = resolve(options.workDir);
  if (!isSettings(workDir, "Pulumi"))
    throw new TypeError(`runProgram(): workDir: ${workDir} has no Pulumi.yaml; give the folder of a Pulumi program.`);
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-program-"));
  try {
    const { default: sdk } = await import("@pulumi/pulumi/automation/index.js");
    const stack = await stackIn(sdk, folder, { workDir, name, config: config as ProgramOptions["config"], emulator });
    return running(stack, folder, join(folder, "settings", `Pulumi.${name}.yaml`));
  } catch (error) {
    await removed(folder);
    throw error;
  }
}

interface Program extends ProgramOptions {
  readonly name: string;
  readonly emulator: ProgramTarget;
}

/**
 * A new stack with state and settings in `folder`. The CLI writes a new stack's settings beside the `Pulumi.yaml`, so the
 * stack is made with a copy of that file there; other commands get the path of the settings.
 */
async function stackIn(sdk: typeof automation, folder: string, { workDir, name, config, emulator }: Program) {
  const [state, settings] = [join(folder, "state"), join(folder, "settings")];
  await Promise.all([mkdir(state), mkdir(settings)]);
  const envVars = { ...closedEnvironment(), ...ownEnvironment(state) };
  const program = await sdk.LocalWorkspace.create({ workDir, envVars }).catch((error: unknown) => {
    throw new Error(
      `runProgram(): the Pulumi CLI does not start (${firstLine(messageOf(error))}): install it, and put its folder on PATH.`,
    );
  });
  const project = await program.projectSettings();
  const { pulumiCommand } = program;
  const projectSettings = { name: project.name, runtime: project.runtime };
  const settingsWorkspace = await sdk.LocalWorkspace.create({
    workDir: settings,
    envVars,
    pulumiCommand,
    projectSettings,
  });
  const written = isSettings(workDir, `Pulumi.${name}`) ? await program.stackSettings(name) : undefined;
  const values = programConfig(
    await addresses(emulator),
    { project: project.config, stack: written?.config },
    config ?? {},
    name,
  );
  await settingsWorkspace.createStack(name);
  await settingsWorkspace.setAllConfig(name, values);
  program.createStack = async () => {};
  return sdk.Stack.create(name, program);
}

const isSettings = (folder: string, name: string) =>
  ["yaml", "yml", "json"].some((ending) => existsSync(join(folder, `${name}.${ending}`)));

async function addresses(emulator: ProgramTarget) {
  const [client] = await emulator.clients;
  const { endpoint, signalingUrl, tls } = emulator;
  return { endpoint, signalingUrl, tls, clientId: client?.clientId ?? "", secretKey: client?.secretKey ?? "" };
}

/** Variables for the stack's own state and secrets. */
function ownEnvironment(state: string): Record<string, string> {
  return {
    PULUMI_BACKEND_URL: pathToFileURL(state).href,
    PULUMI_CONFIG_PASSPHRASE: randomBytes(16).toString("hex"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

/** Variables for other nodes, states and secrets, which the process does not get. */
function closedEnvironment(): Record<string, string> {
  const ofPulumi = ["PULUMI_STACK", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"];
  const own = Object.keys(process.env).filter((name) => /^packetfilter_/i.test(name));
  // Node starts a process without a variable whose value is undefined; the Automation API knows texts only.
  return Object.fromEntries([...ofPulumi, ...own].map((name) => [name, undefined as unknown as string]));
}

function running(stack: automation.Stack, folder: string, configFile: string): RunningProgram {
  const end = new AbortController();
  const inProgress = new Set<Promise<unknown>>();
  const followed = <Result>(result: Promise<Result>): Promise<Result> => {
    const settled = result.then(
      () => void inProgress.delete(settled),
      () => void inProgress.delete(settled),
    );
    inProgress.add(settled);
    return result;
  };
  const optionsOf = <Options extends automation.UpOptions | automation.PreviewOptions>(given: Options | undefined) => {
    const signal = given?.signal ? AbortSignal.any([given.signal, end.signal]) : end.signal;
    // With secrets shown, the CLI reads the history with settings beside the program, and would create them.
    return { ...(given as Options), configFile, signal, showSecrets: false };
  };
  return {
    up: (options) => followed(stack.up(optionsOf(options))),
    preview: (options) => followed(stack.preview(optionsOf(options))),
    refresh: (options) => followed(stack.refresh(optionsOf(options))),
    destroy: (options) => followed(stack.destroy(optionsOf(options))),
    outputs: () => followed(stack.outputs()),
    async [Symbol.asyncDispose]() {
      end.abort();
      await Promise.all(inProgress);
      await removed(folder);
    },
  };
}

const removed = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 });

const firstLine = (text: string) => text.split("\n").find((line) => /\w{4}/.test(line)) ?? text;
