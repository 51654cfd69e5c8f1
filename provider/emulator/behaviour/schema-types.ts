// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** How the open points of the contract are settled: each switch has a default. */
export interface Dialect {
  /**
   * Form of lists: one JSON text; a JSON text a line; fields between blanks, a line each, also behind a line OK n;
   * or fields between commas, also behind a line with their names. Fields of an entry are its members in their
   * order, or its prefix alone where entryForm is string and the value 1; of a profile its name; of a rule its id
   * and name; of a mark id, value, lifetime, age and status where shown, source, destination, both ports and
   * protocol. What is not there is - or, between commas, nothing.
   */
  readonly listFormat: "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** How the list of profiles is written, if not as listFormat says (same). */
  readonly profilesFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** How the list of rules is written, if not as listFormat says (same). */
  readonly rulesFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** How the list of marks is written, if not as listFormat says (same). */
  readonly marksFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /**
   * Place of a list in its answer: under a member of this name (any name; names within one another are joined by
   * dots, 0 is an array around it, and {arena}, {profile} and {set} are the names of what is listed, if it has
   * them), as a bare array, or (keyed, prefix-sets only) as an object keyed by prefix.
   */
  readonly listEnvelope: string;
  /** Members beside a list in its outermost object: none, or the members with which success answers so. */
  readonly listVerdict: "none" | "status" | "count" | "code" | "code-1000";
  /** Where the list of profiles stands, if not as listEnvelope says (same). */
  readonly profilesEnvelope: string;
  /** Where the list of rules stands, if not as listEnvelope says (same). */
  readonly rulesEnvelope: string;
  /** Where the list of marks stands, if not as listEnvelope says (same). */
  readonly marksEnvelope: string;
  /**
   * An empty list: in the form of a full one ([], or {} where it is keyed), always [], or null where it stands in
   * an envelope.
   */
  readonly emptyList: "own" | "array" | "null";
  /** Member of a listed entry that holds its prefix; any name. */
  readonly prefixKey: string;
  /** Member of a listed entry that holds its value; any name. */
  readonly valueKey: string;
  /**
   * Member of a listed entry that holds the length of its prefix beside the address; any name; none: the length
   * stands in the prefix.
   */
  readonly lengthKey: string;
  /**
   * The address of a listed entry that is an object: a text, an integer, a hexadecimal text (both IPv4 only), or
   * an array of octets, each with its length under lengthKey (none: len); or the first and last address of a
   * range.
   */
  readonly addressForm: "text" | "integer" | "hex" | "octets" | "range";
  /** Member of a listed range that holds its first address; any name. */
  readonly rangeStartKey: string;
  /** Member of a listed range that holds its last address; any name. */
  readonly rangeEndKey: string;
  /** How the value of a listed entry is written: 7, "7" or "0x7". */
  readonly valueForm: "number" | "text" | "hex";
  /** A length beside its address: 24, or (IPv4 only) 255.255.255.0. */
  readonly lengthForm: "number" | "netmask";
  /**
   * Form of listed entries: objects; plain strings where the value is 1; pairs [prefix, value]; or one object
   * keyed by prefix in the place of the list.
   */
  readonly entryForm: "object" | "string" | "pair" | "keyed";
  /** How a prefix-set lists a single address: 192.0.2.1/32 or 192.0.2.1. */
  readonly singleAddress: "cidr" | "bare";
  /** Member of a listed profile or rule that holds its name; any name. */
  readonly nameKey: string;
  /** Member of a listed rule that holds its id; any name. */
  readonly idKey: string;
  /**
   * Member names of mark records. Short: a (or src and dst; of connections sport, dport and proto, a number), id,
   * v, t. Long: addr (or saddr and daddr, sport, dport and proto, a name), id, value, lifetime. Or the short ones
   * but for some, as in address=ip,value=hits.
   */
  readonly markKeys: string;
  /** Whether mark records carry their age in seconds. */
  readonly markAge: "hidden" | "shown";
  /** Address in mark records: 192.0.2.1, 192.0.2.1/32, or in JSON as addressForm has it. */
  readonly markAddress: "bare" | "cidr" | "integer" | "hex" | "octets";
  /**
   * A list of marks of a type that neither the rules nor the state of the profile speak of: an empty list, or the
   * error for what does not exist.
   */
  readonly missingTable: "empty" | "error";
  /** Whether expired mark records are listed for a while, with status expired. */
  readonly markExpired: "hidden" | "shown";
  /** Whether list shows applied entries or what a commit would make of them. */
  readonly listShows: "applied" | "staged";
  /** Whether list shows nested prefixes as they are, or merges covered and adjacent ones of equal value. */
  readonly nested: "apart" | "merged";
  /**
   * Form of node API errors: JSON member error with a status, one of five JSON forms with status 200 (code-in-body
   * has the status of its kind as its code), plain text, the text error: … with status 200, or a page of HTML.
   */
  readonly errorForm:
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /**
   * Status of the error for an arena, profile, set or table that does not exist, where its form has no status of
   * its own.
   */
  readonly unknownStatus: number;
  /**
   * Form of the error for an arena, profile, set or table that does not exist: that of errorForm, or one of its
   * own.
   */
  readonly unknownForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /**
   * Status of the error for an insert of what is there (insertExisting: error), where its form has no status of
   * its own.
   */
  readonly existsStatus: number;
  /**
   * Form of the error for an insert of what is there (insertExisting: error): that of errorForm, or one of its
   * own.
   */
  readonly existsForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /**
   * Status of the error for a delete of what is not there (deleteAbsent: error), where its form has no status of
   * its own.
   */
  readonly absentStatus: number;
  /**
   * Form of the error for a delete of what is not there (deleteAbsent: error): that of errorForm, or one of its
   * own.
   */
  readonly absentForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /** Status of the error for a commit of nothing (emptyCommit: error), where its form has no status of its own. */
  readonly nothingStagedStatus: number;
  /** Form of the error for a commit of nothing (emptyCommit: error): that of errorForm, or one of its own. */
  readonly nothingStagedForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /** Status of the error for an entry that is not accepted, where its form has no status of its own. */
  readonly refusedEntryStatus: number;
  /** Form of the error for an entry that is not accepted: that of errorForm, or one of its own. */
  readonly refusedEntryForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /** Status of the error for a request with too many data items or bytes, where its form has no status of its own. */
  readonly capStatus: number;
  /** Form of the error for a request with too many data items or bytes: that of errorForm, or one of its own. */
  readonly tooLargeForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /** Status of the error for a list of marks without its User-Arena, where its form has no status of its own. */
  readonly userArenaStatus: number;
  /** Form of the error for a list of marks without its User-Arena: that of errorForm, or one of its own. */
  readonly userArenaForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /** Status of the error for missing or wrong credentials, where its form has no status of its own. */
  readonly credentialsStatus: number;
  /** Form of the error for missing or wrong credentials: that of errorForm, or one of its own. */
  readonly credentialsForm:
    | "same"
    | "json"
    | "json-200"
    | "status-200"
    | "success-200"
    | "code-200"
    | "code-in-body"
    | "text"
    | "text-200"
    | "html";
  /**
   * Answer to insert, delete and commit: {status: ok}, nothing, the text ok, {count: n}, {ok: true}, {code: 0,
   * msg: ok}, nothing with status 204, {code: 1000, message: Command completed successfully}, or {code: 1,
   * message: n records}.
   */
  readonly success: "status" | "empty" | "text" | "count" | "ok" | "code" | "no-content" | "code-1000" | "code-1";
  /** First insert into a set that does not exist, in an arena or profile that does: refused, or it makes the set. */
  readonly unknownSet: "refused" | "made";
  /**
   * A name that stands twice in one JSON object of a request: refused with 400, or the last one counts, as most
   * readers of JSON have it.
   */
  readonly duplicateMembers: "error" | "last";
  /**
   * The header Content-Encoding, such as gzip: refused with 415 and what would be accepted (RFC 9110, 15.5.16), or
   * not looked at.
   */
  readonly contentEncoding: "refused" | "ignored";
  /**
   * A prefix that stands twice in one insert, in whatever spelling: an entry that is not accepted, or the last one
   * counts.
   */
  readonly repeatedEntry: "error" | "last";
  /** Insert of a prefix that is in the set. */
  readonly insertExisting: "overwrite" | "error";
  /** Delete of a prefix that is not in the set. */
  readonly deleteAbsent: "success" | "error";
  /** Commit with nothing staged. */
  readonly emptyCommit: "success" | "error";
  /** Most data items of a request; 0 is any number. */
  readonly maxEntriesPerRequest: number;
  /** Largest body of a request in bytes; larger ones are answered without being read. */
  readonly maxBodyBytes: number;
  /** Most entries that a set can hold, staged ones counted; 0 is any number. More is answered with 507. */
  readonly setCapacity: number;
  /** IPv6 entries in a prefix-set. */
  readonly ipv6: "accepted" | "error";
  /** An entry with host bits: refused, masked, or kept and listed in its own spelling, in which it must be deleted. */
  readonly hostBits: "error" | "mask" | "keep";
  /** What is staged of a request in which one entry is refused. */
  readonly refusedEntry: "nothing" | "rest";
  /** Milliseconds of virtual time from the answer of a commit to its effect. */
  readonly commitDelay: number;
  /** Largest value of an entry. */
  readonly maxValue: number;
  /** Whether delete removes the exact prefix only, or every prefix that it covers. */
  readonly deleteCovers: "exact" | "covered";
  /** Whether delete finds an entry in any spelling of its prefix, or in the very text only in which it is listed. */
  readonly deleteSpelling: "any" | "listed";
  /**
   * Whether a url may end with / at will, or (as the contract shows it) only and always in the commit of a global
   * set.
   */
  readonly trailingSlash: "any" | "strict";
  /**
   * The header User-Arena of a list of marks: must be there with any value, is not looked at, or must be the arena
   * of the url.
   */
  readonly userArena: "present" | "ignored" | "required";
  /**
   * A list of marks less than three seconds after the end of the last one of its table: noted in the journal
   * (tooSoon), or refused with 429 and Retry-After; with node, the last one of any table counts.
   */
  readonly markPace: "noted" | "table" | "node";
  /** Whether /fapi redirects, and to the same origin or another. */
  readonly redirect: "301" | "302" | "307" | "308" | "none" | "307-elsewhere";
  /**
   * Form of signaling errors: text with a status, text with status 200, JSON member error, message or detail with
   * a status, JSON member error with status 200.
   */
  readonly signalingErrors: "status" | "text-200" | "json" | "json-message" | "json-detail" | "json-200";
  /** Answer to status with a wrong secret: the error, 404, or an empty list. */
  readonly statusWrongSecret: "error" | "not-found" | "empty";
  /**
   * Start or stop of several prefixes when one is not possible; valid-ones carries out the others and answers the
   * error.
   */
  readonly signalingPartial: "all-or-nothing" | "valid-ones";
  /** A single address in start and stop: only as 192.0.2.1/32, or also as 192.0.2.1; else ip_prefix invalid. */
  readonly signalingAddress: "cidr" | "any";
  /** IPv6 prefixes in start and stop: accepted, or ip_prefix invalid. */
  readonly signalingIpv6: "accepted" | "error";
  /** Which prefixes a client may signal: its registered ones and all within them, or the registered ones exactly. */
  readonly signalingPrefixes: "within" | "registered";
  /** Start of a prefix that lies within an active one or around it: a signaling of its own, or ip_prefix invalid. */
  readonly signalingOverlap: "accepted" | "invalid";
  /** How status writes a single address: 192.0.2.1/32 or 192.0.2.1. */
  readonly statusForm: "cidr" | "bare";
  /** How status is written: JSON, or a prefix a line. */
  readonly statusFormat: "json" | "lines";
  /**
   * Place of the object or list of status: alone, or under a member of this name; any name; names within one
   * another are joined by dots.
   */
  readonly statusEnvelope: string;
  /** Member of status that holds the prefixes; any name; none: the list alone. */
  readonly statusName: string;
  /** How status writes one prefix: as an array of one, or as a text alone. */
  readonly statusSingle: "array" | "text";
  /**
   * Answer to status when nothing is active: an empty array or null in its place, {}, nothing, or 404 and a
   * sentence.
   */
  readonly statusEmpty: "array" | "null" | "object" | "empty" | "not-found";
  /**
   * Answer to start and stop: the text ok, {status: ok}, the text created with status 201, nothing with status
   * 204, nothing, a page of HTML, or {code: 1, message: n records}.
   */
  readonly signalingSuccess: "text" | "status" | "created" | "no-content" | "empty" | "html" | "code-1";
  /** Milliseconds of virtual time until status shows a start. */
  readonly statusDelay: number;
  /** Milliseconds of virtual time after which a signaling ends by itself; 0 is never. */
  readonly lease: number;
}
