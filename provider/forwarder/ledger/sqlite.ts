import { z } from "zod";
import { messageOf, PacketFilterError } from "../../model/errors";
import { Unavailable } from "../unavailable";

/** `node:sqlite`, loaded only where a store is opened. @internal */
export type Sqlite = typeof import("node:sqlite");

/** Result codes of SQLite that mean something else than a mistake of ours (sqlite.org/rescode.html). */
const CODES = { busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/**
 * Thrown when the state folder cannot be used: another forwarder has it, or the machine does not let us.
 *
 * @example
 * ```ts
 * try {
 *   await startForwarder(config);
 * } catch (error) {
 *   if (error instanceof StoreError) console.log(error.message);   // which folder, and who has it
 * }
 * ```
 */
export class StoreError extends PacketFilterError {
  override readonly name = "StoreError";

  constructor(message: string) {
    super(message, "forwarder-state");
  }
}

/** An error of ours that means what one of SQLite does. */
export function sqliteError(name: keyof typeof CODES, message: string): Error {
  return Object.assign(new Error(message), { errcode: CODES[name] });
}

/** True for an error that says that the file is not a valid store. */
export function isBroken(error: unknown): boolean {
  return isCode(error, "corrupt", "notADatabase");
}

/** True when there was no room on the disk. */
export function isFull(error: unknown): boolean {
  return isCode(error, "full");
}

/** An error of opening the store, as a sentence where it is about the machine. */
export function explained(error: unknown, file: string): unknown {
  if (isCode(error, "busy")) return new StoreError(`The state ${file} is in use by another forwarder.`);
  if (isFull(error)) {
    const failure = new StoreError(`The state ${file} cannot be written: its disk is full.`);
    return Object.assign(failure, { errcode: CODES.full });
  }
  if (isCode(error, "readOnly", "cannotOpen")) {
    return new StoreError(`The state ${file} cannot be written: ${messageOf(error)}.`);
  }
  return error;
}

/** @throws {Unavailable} where this Node has none. @internal */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite");
  } catch {
    throw new Unavailable(
      `The forwarder keeps its state with node:sqlite, which needs Node 22.15 or later; this is Node ${process.versions.node}. Run it with a newer Node.`,
    );
  }
}

const codeSchema = z.object({ errcode: z.number().optional() });

/** True if an error has one of these codes in its low byte. */
export function isCode(error: unknown, ...names: (keyof typeof CODES)[]): boolean {
  const { errcode } = codeSchema.catch({}).parse(error);
  return errcode !== undefined && names.some((name) => CODES[name] === (errcode & 0xff));
}
