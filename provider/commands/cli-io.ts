import type { Clock } from "../client/clock";

export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  readonly stdin?: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  /** File descriptor of standard output, to write much and wait until it is written. Default: {@link out}. */
  readonly stdout?: number;
  /** Set if standard error is a terminal, which shows progress. */
  readonly terminal?: { columns(): number };
  onHangup?(run: () => void): void;
  /** Ends the process at once, as a second SIGTERM does. */
  end?(): void;
  /** Runs a program to its end, or until `stop` aborts, and returns its standard output. */
  execute?(program: string, args: readonly string[], folder: string, stop?: AbortSignal): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end; the reason is an `Interrupted`. */
  readonly stop: AbortSignal;
  /** Milliseconds from then on until a command is abandoned. Default: 1 800. */
  readonly graceMs?: number;
  /** Folder of relative paths. Default: the working folder of the process. */
  readonly folder?: string;
  /** Calls back every `ms`, until the returned function is called. Default: the machine's timers. */
  every?(ms: number, run: () => void): () => void;
  /** Clocks and timers for what is sent. Default: those of the machine. */
  readonly clock?: Clock;
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
  /** Milliseconds since the start of a process that runs this command alone. Default: 0. */
  readonly elapsed?: () => number;
}

/** The time of a command, in milliseconds since 1970. */
export function timeOf({ now = Date.now }: CliIo): number {
  return now();
}

/** Shows at a terminal the reason of a wait. */
export function progress({ terminal, err }: CliIo, text: string): void {
  if (terminal) err(`${text}\n`);
}

/** Milliseconds between two lines about a node that has not answered. */
const SILENCE_MS = 5_000;

/** The same, repeated until the work is done. */
export async function waiting<T>(io: CliIo, text: string, work: () => Promise<T>): Promise<T> {
  progress(io, text);
  if (!io.terminal) return work();
  const { every = repeatedly } = io;
  let seconds = 0;
  const end = every(SILENCE_MS, () => {
    seconds += SILENCE_MS / 1_000;
    io.err(`${text}: no answer for ${seconds} s\n`);
  });
  try {
    return await work();
  } finally {
    end();
  }
}

export function repeatedly(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** Thrown for a wrong call of a command: exit code 2 instead of 1. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Ends a command with an exit code of its own. The message goes to standard error. */
export class Ended extends Error {
  override readonly name = "Ended";

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}
