import { appendOwnSync } from "../files/no-links";
import { makePrivate, PRIVATE_FILE } from "../files/private";
import { caught, messageOf } from "../model/errors";
import { type SetOperation, type SetResult, SetWriteFailure } from "./set-operation";

/** One mutation in the audit log. */
export interface AuditRecord {
  /** The node's or receiver's name or address. */
  readonly node: string;
  /** The set's url, or `signaling`. */
  readonly set: string;
  /** Changed values by prefix; `null` means "not there". Secret prefixes and values are not shown. */
  readonly prefixes: Readonly<Record<string, { readonly old: AuditValue; readonly new: AuditValue }>>;
  /** Reason in the program, if it has one. */
  readonly reason?: string | undefined;
  /** `applied`, or the sentence of the error. */
  readonly outcome: string;
}

/** A value of an entry; `[secret]` if it must not be shown. */
export type AuditValue = number | string | null;

/** The end of a write to a set, for its line; the writer of the set makes it where it sends the requests. */
export type Written = Pick<AuditRecord, "prefixes" | "outcome" | "reason">;

/** Record of a write that was answered; `undefined` if it changed nothing. */
export function appliedWrite({ changes }: Pick<SetResult, "changes">): Written | undefined {
  return changes.size > 0 ? { outcome: "applied", prefixes: Object.fromEntries(changes) } : undefined;
}

/** Record of a failed write: the entries that it has changed, or may have. */
export function failedWrite(error: unknown): Written {
  const changes = error instanceof SetWriteFailure ? error.changes : [];
  return { prefixes: Object.fromEntries(changes), outcome: messageOf(error) };
}

/** The record with the reason of its operation. */
export function withReason(
  written: Written | undefined,
  { reason }: Pick<SetOperation, "reason">,
): Written | undefined {
  return written && { ...written, reason };
}

/** Opens the log before anything is sent. @throws {Error} if it cannot be written */
export function requireAuditLog(file: string, subject: string): void {
  caught(
    () => makePrivate(file),
    Error,
    (error) => {
      const why = `the audit log ${file} cannot be written (packetfilter:auditLog): ${messageOf(error)}.`;
      throw new Error(`${subject}: nothing was sent, since ${why} Make it writable, or correct the setting.`);
    },
  );
}

/** Appends one NDJSON line by one system call, so that lines of several writers stay whole. */
export function appendAudit(file: string, record: AuditRecord & { time: string; actor: string | undefined }): void {
  const { time, actor, node, set, prefixes, reason, outcome } = record;
  appendOwnSync(file, `${JSON.stringify({ time, actor, node, set, prefixes, reason, outcome })}\n`, PRIVATE_FILE);
}
