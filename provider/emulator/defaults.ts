/**
 * Every default, limit and time of the emulator, with its unit, its reason and the part that uses it. Settings
 * of the open points are in the switches (`behaviour/`), and the defaults of a fault stand with its kind.
 */

/** Defaults of the options (`options.ts`). */
export const OPTIONS = {
  /** The default port: 0 takes a free one, so that any number of emulators run at once. */
  port: 0,
  /** Address to listen on: of this machine only. */
  host: "127.0.0.1",
  /** Real time without a request that ends a run: longer than a client thinks between two requests of one `up`. */
  runPause: "5s",
  /** Limits of the journal, some 40 MB: requests, and data items of all requests together. */
  journal: { requests: 20_000, items: 2_000_000 },
} as const;

/** Characters that a control token has at least where other machines can try tokens (`options.ts`). */
export const SHORTEST_TOKEN = 16;

/** Marks of each profile (`marks/mark-store.ts`). */
export const MARKS = {
  /** Records in each table and family. */
  capacity: 1_048_576,
  /** Seconds that an expired record is kept. */
  keepExpired: 60,
  /** Treatment of a new record in a full table: the oldest one goes. */
  onFull: "evict",
} as const;

/** The chart of marks (`marks/mark-history.ts`), in milliseconds of the virtual clock. */
export const MARK_HISTORY = {
  /** Time that a chart shows. */
  windowMs: 300_000,
  /** Least between two samples: two a second are enough for eyes. */
  stepMs: 500,
  /** Between samples while no view asks and no packet comes, so that marks are seen to expire. */
  quietStepMs: 5_000,
  /** Number of these, however far the clock jumps. */
  quietSamples: 60,
  /** Lines of one sample, the largest: memory stays bounded however many ids there are. */
  lines: 200,
} as const;

/** Keys that a rate tells apart in one window (`rules/matchers.ts`): memory stays bounded in a flood. */
export const RATE_KEYS = 65_536;

/** Packets of generated traffic that are received before other work gets its turn: about 20 ms of them (`state/packet-path.ts`). */
export const PACKETS_AT_ONCE = 10_000;

/** Limits of the journal (`journal/`). */
export const JOURNAL = {
  /** Runs; the oldest go first. */
  runs: 1_000,
  /** Bytes of the beginning of each answer. */
  answerBytes: 2_048,
  /** Characters of the label of a run. */
  labelCharacters: 100,
  /** Characters of the reason of a refusal, on one line. */
  reasonCharacters: 200,
  /** Data items of a request in an HTTP archive. */
  harItems: 100,
  /** Requests that came near, named by an expectation or a fault that was not met. */
  nearMisses: 3,
  /** Requests that a test which failed shows, the newest. */
  attached: 20,
  /** Kinds of dropped requests that are counted separately. */
  droppedKinds: 10_000,
  /** Requests too many that an expectation names. */
  tooMany: 10,
} as const;

/** Least length of a text that is cut out as a secret (`journal/redaction.ts`), in characters. */
export const SHORTEST_SECRET = {
  /** Of a secret that the emulator knows, within words: cutting out shorter ones would leave too much unreadable. */
  known: 4,
  /** The same of a value of a hidden header: shorter ones are modes and flags, and stand within words by chance. */
  sent: 8,
  /** Of one that stands alone. */
  alone: 3,
} as const;

/** Limits of the servers, which keep slow, half-open and oversized connections from piling up (`http/http-server.ts`). */
export const HTTP = {
  maxHeaderSize: 16_384,
  /** Milliseconds for the headers, and for the whole request. */
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  /** Milliseconds; longer than clients keep idle connections, so that none is closed while a request is on its way. */
  keepAliveTimeout: 75_000,
  /** Milliseconds. */
  connectionsCheckingInterval: 2_000,
} as const;

/** Connections of one server (`http/http-server.ts`). */
export const MAX_CONNECTIONS = 4_096;

/** Bytes of a long answer (`http/reply.ts`). */
export const ANSWER_BYTES = {
  /** Made before other work gets its turn: many answers are made beside each other. */
  atOnce: 256 * 1024,
  /** Members of one that are made at once (`http/json-parts.ts`). */
  members: 1_000,
  /** Sent at once with a limited bandwidth. */
  paced: 16 * 1024,
} as const;

/**
 * Levels of objects and arrays within each other in a body that is looked through (`http/request.ts`): a state has ten, and each level
 * takes a part of the stack.
 */
export const BODY_LEVELS = 100;

/** Milliseconds until the next try to take the port again when another process took it during an outage (`wiring.ts`). */
export const PORT_RETRY_MS = 50;

/** Milliseconds without a sign of life after which a node behind the emulator counts as silent (`recording/upstream.ts`). */
export const UPSTREAM_TIMEOUT_MS = 60_000;

/** Most bytes of an answer that is passed on, since all of it is held in memory; as many as the client takes (`recording/upstream.ts`). */
export const UPSTREAM_BYTES = 128 * 1024 * 1024;

/** Limits of `persist` (`state/persistence.ts`). */
export const PERSIST = {
  /** Real milliseconds that changes are gathered on which no answer waits: marks that packets leave. */
  gatherMs: 100,
  /** Bytes of a log beyond which the state is written whole and a new log begun. */
  logBytes: 64 * 2 ** 20,
} as const;

/** Limits for locking a file for one emulator (`state/file-lock.ts`). */
export const LOCK = {
  /** Real milliseconds after which a socket that nothing listens on counts as left: one that is just made is heard by then. */
  pauseMs: 50,
  /** Real milliseconds for which a process that has the lock may be silent; then it has it all the same. */
  answerMs: 2_000,
  /** Sockets that are taken away before it is said that this leads nowhere. */
  tries: 20,
  /** Bytes of the longest name that a socket can have everywhere. */
  longestName: 100,
} as const;

/** Days for which a certificate made for a run is good, around its start: clocks differ a little (`http/certificates.ts`). */
export const CERTIFICATE_DAYS = { before: 1, after: 365 } as const;

/** The control API (`control/`). */
export const CONTROL = {
  /** Bytes of a body, and of that of PUT /state: a state with a million marks fits. */
  bodyBytes: 32 * 2 ** 20,
  stateBytes: 256 * 2 ** 20,
  /** Bytes that a reader of events may be behind before it is cut off: the memory of the emulator does not grow with it. */
  eventBytes: 1_048_576,
  /** Isolated emulators of one. A hundred with small states take 5 MB; each takes two ports. */
  isolated: 500,
  /** Real milliseconds from the answer to POST /stop until connections are broken. */
  stopMs: 50,
  /** Real time that a wait for a request takes at most. */
  wait: "5s",
  /** Packets in one request, and packets of generated traffic. */
  packets: 100_000,
  traffic: 100_000_000,
  /** Records of a table of marks, unless the caller asks for more; and more than any table holds. */
  marks: 1_000,
  allMarks: 100_000_000,
  /** Characters of the name of a snapshot. */
  snapshotCharacters: 200,
} as const;

/** Limits of long lists on the page (`page/`): more is no help to a person, and costs time with every request. */
export const PAGE = {
  /** Rows of a set, records of marks and lines of the journal, unless the page asks for more. */
  rows: 200,
  records: 100,
  lines: 500,
  /** Lines of a chart: as many as a person tells apart. */
  chartLines: 8,
  /** Ids of marks that are listed one by one; others are summed up. */
  markIds: 50,
  /** The newest runs. */
  runs: 200,
  /** Data items and changes of one entry of the journal. */
  items: 100,
  /** Characters of a command to copy: systems take some 128 KiB in one argument. */
  commandCharacters: 100_000,
} as const;

/** Wrong places of a value that an error names; the rest is counted (`validation/strict.ts`). */
export const WRONG_PLACES = 10;
