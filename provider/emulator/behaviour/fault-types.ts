// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** A fault: its kind, and the requests to which it applies. */
export interface Fault {
  /** Kind of the fault; default: error. */
  readonly kind?:
    | "error"
    | "delay"
    | "reset"
    | "lost-answer"
    | "truncated"
    | "silence"
    | "html"
    | "unknown-shape"
    | "refuse"
    | "restart"
    | "slow-commit"
    | "late-commit"
    | "stuck-commit"
    | "full-table"
    | "stale-list"
    | "clock-skew";
  /** Only requests of this API. */
  readonly api?: "node" | "signaling" | "test";
  /** Only this command of the node API. */
  readonly cmd?: "list" | "insert" | "delete" | "commit";
  /** Only this operation of the signaling API. */
  readonly op?: "status" | "start" | "stop";
  /** Only this resource, with or without a trailing slash; a * at the end matches the rest. */
  readonly url?: string;
  /** Only lists of marks of this type. */
  readonly type?: "shost" | "dhost" | "sdhost" | "conn";
  /** Only this signaling client. */
  readonly client?: string;
  /** Only requests of the run with this label. */
  readonly run?: string;
  /** From the nth matching request on, counted from 1 since the fault was set; default 1. */
  readonly nth?: number;
  /** Every nth matching request. */
  readonly every?: number;
  /** Share of the matching requests, drawn by seed. */
  readonly rate?: number;
  /** Seed of rate; default: the emulator's seed. */
  readonly seed?: number;
  /** Ends after so many hits; default 1, with every or rate unlimited. */
  readonly times?: number;
  /** Status of the answer, if the kind has one. */
  readonly status?: number;
  /** Body of the answer, if the kind has one. */
  readonly body?: string;
  /** Text of the error, if the kind has one. */
  readonly message?: string;
  /** Retry-After of an error: seconds or an HTTP date. */
  readonly retryAfter?: number | string;
  /** Whether the request takes effect first; the default depends on the kind. */
  readonly when?: "before" | "after";
  /** Duration, for the kinds that take time. */
  readonly delay?: number | string;
  /** Fate of staged entries at a restart or a stuck commit; default lost. */
  readonly staged?: "lost" | "kept";
}
