/** What a command needs of the process; tests hand in their own. */
export interface CliIo {
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  /** Writes to standard output, and waits until that has taken it. Default: {@link out}. */
  write?(text: string): Promise<void>;
  /** Set when standard error is a terminal. */
  readonly terminal?: { columns(): number };
  /** Calls back whenever the process is asked to read its configuration again (SIGHUP). */
  onHangup?(run: () => void): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

/** Thrown by a command that was called in a wrong way: exit code 2 instead of 1. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
