import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { milliseconds } from "../emulator/time/duration";
import { hasEnded } from "../files/ended-process";
import { readOwn } from "../files/no-links";
import { replaceFile } from "../files/whole-file";
import { attempt, messageOf } from "../model/errors";
import { visible } from "../model/foreign-text";
import { wholeBody } from "../model/limited-body";
import { type CliIo, Ended, UsageError } from "./cli-io";
import { type AddressFlags, addAddress } from "./emulating/call";
import { namedFile } from "./failure";
import { wrongUse } from "./option-values";

/** Milliseconds between two requests while waiting. */
const LOOK_MS = 50;
/** Milliseconds for one answer, and for an emulator to end. */
const ANSWER_MS = 2_000;
const END_MS = 20_000;

interface Flags extends AddressFlags {
  readonly pidFile?: string;
  readonly timeout?: string;
}

export function addBackground(emulator: Command, io: CliIo): void {
  const add = (name: string, about: string, run: (flags: Flags, io: CliIo) => Promise<string>) => {
    const command = addAddress(emulator.command(name).description(about));
    command.option("--pid-file <file>", "file that --background wrote, instead of --at");
    return command.action(async () => io.out(await run(command.optsWithGlobals<Flags>(), io)));
  };
  add("wait", "wait until an emulator is ready", wait).option(
    "--timeout <duration>",
    "longest wait, such as 30s",
    "30s",
  );
  add("stop", "end an emulator, and wait until it has ended", end);
}

/**
 * Starts the same command as a process of its own, and returns its ready line once it serves.
 *
 * @throws {Ended} with its errors, if it ends before.
 */
export async function startInBackground({ pidFile }: Pick<Flags, "pidFile">, io: CliIo): Promise<string> {
  if (pidFile !== undefined && (await serves((await readPidFile(pidFile))?.control, io.stop))) {
    throw new UsageError(
      `The emulator of ${pidFile} is already running: end it with emulator stop --pid-file ${pidFile}.`,
    );
  }
  // npx does not wait for this process.
  const { npm_command: _, ...env } = io.env;
  const own = process.argv
    .slice(1)
    .filter((arg, at, all) => all[at - 1] !== "--pid-file" && !/^--(background$|pid-file($|=))/.test(arg));
  const args = [...process.execArgv, ...own];
  const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "pipe"], env });
  const abort = () => child.kill();
  io.stop.addEventListener("abort", abort);
  try {
    const line = await readyLine(child);
    const [, said = ""] = line.split(", control ");
    const control = line.startsWith("{") ? JSON.parse(line).control : said.split(/[, ]/)[0];
    if (pidFile !== undefined) await replaceFile(pidFile, `${child.pid}\n${control}\n`);
    return line;
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    io.stop.removeEventListener("abort", abort);
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }

  async function readyLine({ stdout, stderr }: ChildProcess): Promise<string> {
    let [out, err] = ["", ""];
    stderr?.on("data", (part: Buffer) => {
      err += part.toString();
    });
    const ended = once(child, "exit");
    for (;;) {
      const part = stdout ? await Promise.race([once(stdout, "data"), ended]) : await ended;
      if (!Buffer.isBuffer(part[0])) throw new Ended(err.trim() || "The emulator has ended.", Number(part[0] ?? 1));
      out += part[0].toString();
      if (!out.includes("\n")) continue;
      // Its warnings come on standard error at the same moment.
      await sleep(LOOK_MS);
      io.err(err);
      return out;
    }
  }
}

async function wait(flags: Flags, { env, stop }: CliIo): Promise<string> {
  const { timeout = "30s" } = flags;
  const end = performance.now() + (await wrongUse(TypeError, async () => milliseconds(timeout)));
  for (;;) {
    const { control } = await whichOne(flags, env);
    if (await serves(control, stop)) return `The emulator at ${control} is ready.\n`;
    if (performance.now() >= end) {
      const where = control ?? `of ${flags.pidFile}, a file that does not exist`;
      throw new Ended(`No emulator is ready within ${timeout}: ${where}.`, 1);
    }
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => stop.throwIfAborted());
  }
}

async function end(flags: Flags, { env, stop }: CliIo): Promise<string> {
  const { control, pid } = await whichOne(flags, env);
  if (control === undefined) return `No emulator runs: there is no file ${flags.pidFile}.\n`;
  const token = flags.token ?? env.PACKETFILTER_EMULATOR_TOKEN;
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  const answer = await fetch(`${control}/stop`, {
    method: "POST",
    headers,
    signal: within(stop),
  }).catch(() => undefined);
  stop.throwIfAborted();
  if (answer && !answer.ok) throw new Ended(`The emulator at ${control} does not end: ${await shortText(answer)}`, 1);
  const latest = performance.now() + END_MS;
  while ((await serves(control, stop)) || (answer && pid !== undefined && !hasEnded({ host: hostname(), pid }))) {
    if (performance.now() >= latest) throw new Ended(`The emulator at ${control} has not ended.`, 1);
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => stop.throwIfAborted());
  }
  if (flags.pidFile !== undefined) await rm(flags.pidFile, { force: true });
  return answer ? `The emulator at ${control} has ended.\n` : `No emulator runs at ${control}.\n`;
}

async function whichOne({ at, pidFile }: Flags, env: CliIo["env"]): Promise<{ control?: string; pid?: number }> {
  if (at !== undefined && pidFile !== undefined) throw new UsageError("--at and --pid-file exclude each other.");
  if (pidFile !== undefined) return (await readPidFile(pidFile)) ?? {};
  const control = at ?? env.PACKETFILTER_EMULATOR_CONTROL;
  if (!control || !URL.canParse(control)) {
    throw new UsageError("Name the emulator: --at URL, --pid-file FILE or PACKETFILTER_EMULATOR_CONTROL.");
  }
  return { control: new URL(control).origin };
}

/**
 * Reads process id and control address, a line each; `undefined` if there is no file. The address gets the control token, and a
 * file of a checkout could name any: it must be on this machine.
 */
async function readPidFile(file: string): Promise<{ pid: number; control: string } | undefined> {
  if (!existsSync(file)) return undefined;
  const [pid = "", control = ""] = (await namedFile(file, () => readOwn(file))).split("\n");
  if (/^\d+$/.test(pid) && isOfThisMachine(control)) return { pid: Number(pid), control: new URL(control).origin };
  throw new UsageError(`${file} is not a file that emulator --background wrote.`);
}

function isOfThisMachine(url: string): boolean {
  const { protocol, hostname: host } = attempt(() => new URL(url)) ?? {};
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  return (
    protocol === "http:" && [...own, "127.0.0.1", "::1", "localhost"].includes(String(host).replace(/^\[|\]$/g, ""))
  );
}

/** @throws the reason of `stop` */
async function serves(control: string | undefined, stop: AbortSignal): Promise<boolean> {
  if (control === undefined) return false;
  const answer = await fetch(`${control}/health`, { signal: within(stop) }).catch(() => undefined);
  stop.throwIfAborted();
  return answer?.ok === true;
}

/** The beginning of an answer: a pid file may name any server of this machine. */
async function shortText({ body }: Response): Promise<string> {
  const text = await wholeBody(body ?? Readable.from([]), 65_536).catch(messageOf);
  return visible(text.toString());
}

/** Ends a request after its time, or when the process is asked to end. */
function within(stop: AbortSignal): AbortSignal {
  return AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
}
