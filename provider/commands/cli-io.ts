/** Parts of the process that a command needs; tests hand in their own. */
export interface CliIo {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  /** Standard input, for the commands that read it. Default: there is none. */
  readonly stdin?: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  /** The file descriptor of standard output, for who writes much and waits until it is taken. Default: {@link out}. */
  readonly stdout?: number;
  /** Set when standard error is a terminal, where a person watches what takes time. */
  readonly terminal?: { columns(): number };
  /** Calls back whenever the process is asked to read its configuration again (SIGHUP). */
  onHangup?(run: () => void): void;
  /** Ends the process at once, as a second SIGTERM does. */
  end?(): void;
  /** Runs a program to its end, or until `stop` aborts, and gives what it wrote to standard output. Default: none is run. */
  execute?(program: string, args: readonly string[], folder: string, stop?: AbortSignal): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end; the reason is an `Interrupted`. */
  readonly stop: AbortSignal;
  /** Milliseconds that a command has from then on, before it is left. Default: 1 800. */
  readonly graceMs?: number;
  /** The working folder: relative files start there. Default: that of the process. */
  readonly folder?: string;
  /** Calls back again and again after so many milliseconds, until what it gives is called. Default: the machine's timers. */
  every?(ms: number, run: () => void): () => void;
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
  /** Milliseconds since the process was started, where the command is all that it does. Default: none have passed. */
  readonly elapsed?: () => number;
}

/** Says what a command is about to wait for, where a person watches. */
export function progress({ terminal, err }: CliIo, text: string): void {
  if (terminal) err(`${text}\n`);
}

/** Milliseconds between two lines about a node that has not answered. */
const SILENCE_MS = 5_000;

/** Says what a command waits for, where a person watches, and again every few seconds until it has come. */
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

/** Calls back again and again after so many milliseconds, until what it returns is called. */
export function repeatedly(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** Thrown by a command that was called in a wrong way: exit code 2 instead of 1. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Thrown by a command that has come to an end with an exit code of its own. The message goes to standard error. */
export class Ended extends Error {
  override readonly name = "Ended";

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}
