/**
 * Every default, limit and time of the emulator, with unit, reason and the module that uses it. The defaults of switches
 * and faults are in `behaviour/`.
 */

/** Defaults of the options (`options.ts`). */
export const OPTIONS = {
  /** The default port; 0 takes a free one, so that any number of emulators can run at once. */
  port: 0,
  /** Address to listen on: of this machine only. */
  host: "127.0.0.1",
  /** Real time without a request that ends a run: longer than a client pauses between two requests of one `up`. */
  runPause: "5s",
  /** Limits of the journal, some 400 MB if all of it is in use: requests, and data items of all requests together. */
  journal: { requests: 20_000, items: 2_000_000 },
} as const;

/** Least characters of a control token if other machines can try tokens (`options.ts`). */
export const SHORTEST_TOKEN = 16;

/** Marks of each profile (`marks/mark-store.ts`). */
export const MARKS = {
  /** Records in each table and family. */
  capacity: 1_048_576,
  /** Seconds that an expired record is kept. */
  keepExpired: 60,
  /** Treatment of a new record in a full table: an old one is removed. */
  onFull: "evict",
} as const;

/** The chart of marks (`marks/mark-history.ts`), in milliseconds of the virtual clock. */
export const MARK_HISTORY = {
  /** Time range of a chart. */
  windowMs: 300_000,
  /** Least time between two samples: two each second are enough to look at. */
  stepMs: 500,
  /** Time between samples while no view asks and no packet arrives, so that expiring marks show. */
  quietStepMs: 5_000,
  /** Most of these samples, even after a jump of the clock. */
  quietSamples: 60,
  /** Lines of one sample, the largest ones, to limit memory. */
  lines: 200,
} as const;

/** Keys of a rate that are counted separately in one window (`rules/matchers.ts`), to limit memory in a flood. */
export const RATE_KEYS = 65_536;

/** Packets of generated traffic between two turns of the event loop, about 20 ms (`state/packet-path.ts`). */
export const PACKETS_AT_ONCE = 10_000;

/** Limits of the journal (`journal/`). */
export const JOURNAL = {
  /** Runs; the oldest are removed first. */
  runs: 1_000,
  /** Bytes of the beginning of each answer. */
  answerBytes: 2_048,
  /** Characters of the label of a run. */
  labelCharacters: 100,
  /** Characters of the reason of a refusal, on one line. */
  reasonCharacters: 200,
  /** Characters of a data item. */
  itemCharacters: 100,
  /** Data items of a request in an HTTP archive. */
  harItems: 100,
  /** Nearest requests that a failed expectation or an unmet fault names. */
  nearMisses: 3,
  /** Newest requests that a failed test shows. */
  attached: 20,
  /** Kinds of dropped requests that are counted separately. */
  droppedKinds: 10_000,
  /** Surplus requests that an expectation names. */
  tooMany: 10,
} as const;

/** Least length of a redacted secret, in characters (`journal/redaction.ts`). */
export const SHORTEST_SECRET = {
  /** For a known secret inside words: redacting shorter ones would make too much unreadable. */
  known: 4,
  /** For the value of a hidden header inside words: shorter ones are modes and flags, and occur by chance. */
  sent: 8,
  /** For a secret as a whole word. */
  alone: 3,
} as const;

/** Limits of the servers against slow, half-open and oversized connections (`http/http-server.ts`). */
export const HTTP = {
  maxHeaderSize: 16_384,
  /** Milliseconds for the headers, and for the whole request. */
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  /** Milliseconds; longer than clients keep idle connections, so that none is closed during a request. */
  keepAliveTimeout: 75_000,
  /** Milliseconds. */
  connectionsCheckingInterval: 2_000,
} as const;

/** Connections of one server (`http/http-server.ts`). */
export const MAX_CONNECTIONS = 4_096;

/** Bytes of an answer that are sent at once with a limited bandwidth (`http/reply.ts`). */
export const PACED_BYTES = 16 * 1024;

/**
 * Depth of nested objects and arrays in a body (`http/request.ts`): a state has ten levels, and each level takes some of the
 * stack.
 */
export const BODY_LEVELS = 100;

/** Milliseconds until the next try to take the port, if another process took it during an outage (`wiring.ts`). */
export const PORT_RETRY_MS = 50;

/** Milliseconds for a request to a node behind the emulator with its whole answer (`recording/upstream.ts`). */
export const UPSTREAM_DEADLINE_MS = 30_000;

/** Most bytes of an answer that is passed on, which is held in memory (`recording/upstream.ts`). */
export const UPSTREAM_BYTES = 64 * 1024 * 1024;

/** Milliseconds for an answer of the control API to its client, waits included (`control/client.ts`). */
export const CONTROL_DEADLINE_MS = 600_000;

/** Most bytes of such an answer: the longest text that V8 holds (`buffer.constants.MAX_STRING_LENGTH`). */
export const CONTROL_ANSWER_BYTES = 2 ** 29 - 24;

/** Limits of `persist` (`state/persistence.ts`). */
export const PERSIST = {
  /** Real milliseconds to gather changes that no answer waits for: marks of packets. */
  gatherMs: 100,
} as const;

/** Limits for locking a file for one emulator (`state/file-lock.ts`). */
export const LOCK = {
  /** Real milliseconds after which a socket without a listener counts as abandoned: a new one listens by then. */
  pauseMs: 50,
  /** Real milliseconds to wait for the answer of the process with the lock; a silent one keeps the lock. */
  answerMs: 2_000,
  /** Abandoned sockets to remove before the lock fails. */
  tries: 20,
  /** Bytes of the longest name of a socket on all systems. */
  longestName: 100,
} as const;

/** Days of validity of a certificate, before and after the start, since clocks differ (`http/certificates.ts`). */
export const CERTIFICATE_DAYS = { before: 1, after: 365 } as const;

/** The control API (`control/`). */
export const CONTROL = {
  /** Bytes of a body, and of the body of PUT /state, which fits a state with a million marks. */
  bodyBytes: 32 * 2 ** 20,
  stateBytes: 128 * 2 ** 20,
  /** Bytes that a reader of events may be behind before it is disconnected, to limit memory. */
  eventBytes: 1_048_576,
  /** Isolated emulators of one emulator. A hundred with small states take 5 MB; each takes two ports. */
  isolated: 500,
  /** Real milliseconds without a request that end an isolated emulator: longer than a client pauses, shorter than a session. */
  idleMs: 600_000,
  /** Real milliseconds from the answer to POST /stop until connections are broken. */
  stopMs: 50,
  /** Longest wait for a request, in real time. */
  wait: "5s",
  /** Packets in one request, and packets of generated traffic. */
  packets: 100_000,
  traffic: 100_000_000,
  /** Default number of records of a mark table, and a number above any table's size. */
  marks: 1_000,
  allMarks: 100_000_000,
  /** Characters of the name of a snapshot. */
  snapshotCharacters: 200,
} as const;

/** Limits of long lists on the page (`page/`): longer ones do not help a reader, and cost time with every request. */
export const PAGE = {
  /** Default number of rows of a set, records of marks and lines of the journal. */
  rows: 200,
  records: 100,
  lines: 500,
  /** Lines of a chart: as many as a reader can distinguish. */
  chartLines: 8,
  /** Ids of marks that are listed separately; others are summed up. */
  markIds: 50,
  /** The newest runs. */
  runs: 200,
  /** Data items and changes of one entry of the journal. */
  items: 100,
  /** Characters of a command to copy: systems accept some 128 KiB in one argument. */
  commandCharacters: 100_000,
} as const;

/** Mistakes of a value that an error names; further ones are counted (`validation/strict.ts`). */
export const WRONG_PLACES = 10;
