import { appendFileSync } from "node:fs";

/** One mutation, as the audit log keeps it. */
export interface AuditRecord {
  /** The node's or receiver's name or address. */
  readonly node: string;
  /** The set's url, or `signaling`. */
  readonly set: string;
  /** Prefix to what changed; `null` stands for "not there". Of secret entries neither prefix nor value is shown. */
  readonly prefixes: Readonly<Record<string, { readonly old: AuditValue; readonly new: AuditValue }>>;
  /** What the program says about why, if it does. */
  readonly reason?: string | undefined;
  /** `applied`, or the sentence of the error. */
  readonly outcome: string;
}

/** A value of an entry; `[secret]` for one that is there and not shown. */
export type AuditValue = number | string | null;

/** Appends one NDJSON line. One call of the system for one line, so that lines of several writers stay whole. */
export function appendAudit(file: string, record: AuditRecord & { time: string; actor: string | undefined }): void {
  const { time, actor, node, set, prefixes, reason, outcome } = record;
  appendFileSync(file, `${JSON.stringify({ time, actor, node, set, prefixes, reason, outcome })}\n`, { mode: 0o600 });
}
