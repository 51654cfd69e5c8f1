// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** Settings of the open points of the contract. Each switch has a default. */
export interface Dialect {
  /**
   * Form of lists. json: one JSON text. ndjson: one JSON text on each line. lines: one record on each line, its
   * fields separated by blanks; ok-lines: the same after a line OK n. csv: fields separated by commas; csv-head:
   * the same after a line with their names. The fields of an entry are its members in their order, or only its
   * prefix if entryForm is string and the value 1. A profile has its name, a rule its id and name. A mark has id,
   * value, lifetime, age and status if shown, source, destination, both ports and protocol. A missing field is -,
   * or empty between commas.
   */
  readonly listFormat: "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** Format of the list of profiles; same: as listFormat. */
  readonly profilesFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** Format of the list of rules; same: as listFormat. */
  readonly rulesFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /** Format of the list of marks; same: as listFormat. */
  readonly marksFormat: "same" | "json" | "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";
  /**
   * Place of a list in its answer. A name: the member that holds the list. Dots join the names of nested members,
   * 0 is an array around the list, and {arena}, {profile} and {set} are replaced by names of the request. array: a
   * bare array. keyed (prefix-sets only): an object keyed by prefix.
   */
  readonly listEnvelope: string;
  /**
   * Text of the list of a prefix-set, in five parts with {|} between them: before the records, a record, between
   * two, after them, and an empty list. {count} stands for their number, and in a record {prefix}, {address},
   * {length}, {netmask}, {last}, {padded} and {lastPadded} (octets of three digits), {integer} and {value}. Empty:
   * the form of the other switches.
   */
  readonly setTemplate: string;
  /**
   * Text of the list of profiles, in five parts with {|} between them: before the records, a record, between two,
   * after them, and an empty list. {count} stands for their number, and in a record {name}. Empty: the form of the
   * other switches.
   */
  readonly profilesTemplate: string;
  /**
   * Text of the list of rules, in five parts with {|} between them: before the records, a record, between two,
   * after them, and an empty list. {count} stands for their number, and in a record {id} and {name}. Empty: the
   * form of the other switches.
   */
  readonly rulesTemplate: string;
  /**
   * Text of the list of marks, in five parts with {|} between them: before the records, a record, between two,
   * after them, and an empty list. {count} stands for their number, and in a record {id}, {value}, {lifetime},
   * {age}, {status}, {address}, {source}, {destination}, {sourcePort}, {destinationPort} and {protocol}. Empty:
   * the form of the other switches.
   */
  readonly marksTemplate: string;
  /**
   * Members beside a list in its outermost object: none, or those of the answer with that name in the switch
   * success.
   */
  readonly listVerdict: "none" | "status" | "count" | "code" | "code-1000";
  /** Place of the list of profiles; same: as listEnvelope. */
  readonly profilesEnvelope: string;
  /** Place of the list of rules; same: as listEnvelope. */
  readonly rulesEnvelope: string;
  /** Place of the list of marks; same: as listEnvelope. */
  readonly marksEnvelope: string;
  /** An empty list: in the form of a full one ([], or {} if it is keyed), always [], or null if it has an envelope. */
  readonly emptyList: "own" | "array" | "null";
  /** Member of a listed entry that holds its prefix; any name. */
  readonly prefixKey: string;
  /** Member of a listed entry that holds its value; any name. */
  readonly valueKey: string;
  /**
   * Member of a listed entry that holds the length of its prefix beside the address; any name; none: the prefix
   * includes the length.
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
  /** Form of the value of a listed entry: 7, "7" or "0x7". */
  readonly valueForm: "number" | "text" | "hex";
  /** A length beside its address: 24, or (IPv4 only) 255.255.255.0. */
  readonly lengthForm: "number" | "netmask";
  /**
   * Form of listed entries: objects; plain strings if the value is 1; pairs [prefix, value]; or one object keyed
   * by prefix in the place of the list.
   */
  readonly entryForm: "object" | "string" | "pair" | "keyed";
  /** Form of a single address in the list of a prefix-set: 192.0.2.1/32 or 192.0.2.1. */
  readonly singleAddress: "cidr" | "bare";
  /** Member of a listed profile or rule that holds its name; any name. */
  readonly nameKey: string;
  /** Member of a listed rule that holds its id; any name. */
  readonly idKey: string;
  /**
   * Member names of mark records. Short: a (or src and dst; of connections sport, dport and proto, a number), id,
   * v, t. Long: addr (or saddr and daddr, sport, dport and proto, a name), id, value, lifetime. Or the short ones
   * with other names for some members, such as address=ip,value=hits.
   */
  readonly markKeys: string;
  /**
   * The node's own words for types of marks in requests, such as shost=src-host,conn=flow. A type with a word has
   * no other name. Empty: the names of the contract.
   */
  readonly markTypes: string;
  /** Unit of the lifetime of a mark: seconds or milliseconds. */
  readonly markLifetimeUnit: "s" | "ms";
  /** Unit of the age of a mark. */
  readonly markAgeUnit: "s" | "ms";
  /** Whether mark records carry their age. */
  readonly markAge: "hidden" | "shown";
  /** Address in mark records: 192.0.2.1, 192.0.2.1/32, or in JSON a form of addressForm. */
  readonly markAddress: "bare" | "cidr" | "integer" | "hex" | "octets";
  /**
   * A list of marks of a type that neither rules nor state of the profile mention: an empty list, or the error for
   * an unknown table.
   */
  readonly missingTable: "empty" | "error";
  /** Whether expired mark records are listed for a while, with status expired. */
  readonly markExpired: "hidden" | "shown";
  /** Whether list shows the applied entries or those after a commit. */
  readonly listShows: "applied" | "staged";
  /** Whether list keeps nested prefixes, or merges covered and adjacent ones of equal value. */
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
   * Text of the error of any kind without a text or form of its own; {message} and {status} stand for its words
   * and its status. Empty: the form of the other switches.
   */
  readonly errorText: string;
  /** Status of the error for an arena, profile, set or table that does not exist, if its form has no fixed status. */
  readonly unknownStatus: number;
  /** Form of the error for an arena, profile, set or table that does not exist; same: as errorForm. */
  readonly unknownForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for an arena, profile, set or table that does not exist; {message} and {status} stand for
   * its words and its status. Empty: the form of the other switches.
   */
  readonly unknownText: string;
  /**
   * Status of the error for an insert of an existing entry (insertExisting: error), if its form has no fixed
   * status.
   */
  readonly existsStatus: number;
  /** Form of the error for an insert of an existing entry (insertExisting: error); same: as errorForm. */
  readonly existsForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for an insert of an existing entry (insertExisting: error); {message} and {status} stand for
   * its words and its status. Empty: the form of the other switches.
   */
  readonly existsText: string;
  /** Status of the error for a delete of an absent entry (deleteAbsent: error), if its form has no fixed status. */
  readonly absentStatus: number;
  /** Form of the error for a delete of an absent entry (deleteAbsent: error); same: as errorForm. */
  readonly absentForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for a delete of an absent entry (deleteAbsent: error); {message} and {status} stand for its
   * words and its status. Empty: the form of the other switches.
   */
  readonly absentText: string;
  /** Status of the error for a commit without staged changes (emptyCommit: error), if its form has no fixed status. */
  readonly nothingStagedStatus: number;
  /** Form of the error for a commit without staged changes (emptyCommit: error); same: as errorForm. */
  readonly nothingStagedForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for a commit without staged changes (emptyCommit: error); {message} and {status} stand for
   * its words and its status. Empty: the form of the other switches.
   */
  readonly nothingStagedText: string;
  /** Status of the error for an entry that is not accepted, if its form has no fixed status. */
  readonly refusedEntryStatus: number;
  /** Form of the error for an entry that is not accepted; same: as errorForm. */
  readonly refusedEntryForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for an entry that is not accepted; {message} and {status} stand for its words and its
   * status. Empty: the form of the other switches.
   */
  readonly refusedEntryText: string;
  /** Status of the error for a request with too many data items or bytes, if its form has no fixed status. */
  readonly capStatus: number;
  /** Form of the error for a request with too many data items or bytes; same: as errorForm. */
  readonly tooLargeForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for a request with too many data items or bytes; {message} and {status} stand for its words
   * and its status. Empty: the form of the other switches.
   */
  readonly tooLargeText: string;
  /** Status of the error for a list of marks without its User-Arena, if its form has no fixed status. */
  readonly userArenaStatus: number;
  /** Form of the error for a list of marks without its User-Arena; same: as errorForm. */
  readonly userArenaForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for a list of marks without its User-Arena; {message} and {status} stand for its words and
   * its status. Empty: the form of the other switches.
   */
  readonly userArenaText: string;
  /** Status of the error for missing or wrong credentials, if its form has no fixed status. */
  readonly credentialsStatus: number;
  /** Form of the error for missing or wrong credentials; same: as errorForm. */
  readonly credentialsForm: "same" | Dialect["errorForm"];
  /**
   * Text of the error for missing or wrong credentials; {message} and {status} stand for its words and its status.
   * Empty: the form of the other switches.
   */
  readonly credentialsText: string;
  /**
   * Answer to insert, delete and commit: {status: ok}, nothing, the text ok, {count: n}, {ok: true}, {code: 0,
   * msg: ok}, nothing with status 204, {code: 1000, message: Command completed successfully}, or {code: 1,
   * message: n records}.
   */
  readonly success: "status" | "empty" | "text" | "count" | "ok" | "code" | "no-content" | "code-1000" | "code-1";
  /**
   * Text of the answer to a successful insert; {count} stands for the number of its entries. Empty: the form of
   * the other switches.
   */
  readonly insertText: string;
  /**
   * Text of the answer to a successful delete; {count} stands for the number of its entries. Empty: the form of
   * the other switches.
   */
  readonly deleteText: string;
  /**
   * Text of the answer to a successful commit; {count} stands for the number of its entries. Empty: the form of
   * the other switches.
   */
  readonly commitText: string;
  /**
   * Url of a commit, with {arena}, {profile} and {set}; a name that a set lacks is left out with the / before it.
   * A commit applies all sets with that url. Empty: the url of the set, as the contract shows it.
   */
  readonly commitUrl: string;
  /** Insert into a set that does not exist, in an existing arena or profile: refused, or it creates the set. */
  readonly unknownSet: "refused" | "made";
  /**
   * A duplicate name in one JSON object of a request: refused with 400, or the last one counts, as in most JSON
   * parsers.
   */
  readonly duplicateMembers: "error" | "last";
  /**
   * The header Content-Encoding, such as gzip: refused with 415 and the accepted encodings (RFC 9110, 15.5.16), or
   * ignored.
   */
  readonly contentEncoding: "refused" | "ignored";
  /** A duplicate prefix in one insert, in any spelling: a refused entry, or the last one counts. */
  readonly repeatedEntry: "error" | "last";
  /**
   * Insert of a prefix that is in the set: it gets the new value, the insert is refused, or it succeeds and the
   * old value stays.
   */
  readonly insertExisting: "overwrite" | "error" | "ignored";
  /** Delete of a prefix that is not in the set. */
  readonly deleteAbsent: "success" | "error";
  /** Commit with nothing staged. */
  readonly emptyCommit: "success" | "error";
  /** Most data items of a request; 0 is any number. */
  readonly maxEntriesPerRequest: number;
  /** Largest body of a request in bytes; larger ones are refused unread. */
  readonly maxBodyBytes: number;
  /** Most entries of a set, staged ones included; 0 is any number. An insert above it gets 507. */
  readonly setCapacity: number;
  /** IPv6 entries in a prefix-set. */
  readonly ipv6: "accepted" | "error";
  /** An entry with host bits: refused, masked, or kept and listed in its own spelling, which a delete must use. */
  readonly hostBits: "error" | "mask" | "keep";
  /** Entries that are staged of a request with a refused entry: none, all others, or those before it. */
  readonly refusedEntry: "nothing" | "rest" | "before";
  /** Milliseconds of virtual time from the answer of a commit to its effect. */
  readonly commitDelay: number;
  /** Largest value of an entry. */
  readonly maxValue: number;
  /** Whether delete removes only the exact prefix, or every prefix that it covers. */
  readonly deleteCovers: "exact" | "covered";
  /** Whether delete finds an entry by any spelling of its prefix, or only by the listed one. */
  readonly deleteSpelling: "any" | "listed";
  /**
   * Whether any url may end with /, or (as the contract shows it) the commit of a global set must and no other
   * may.
   */
  readonly trailingSlash: "any" | "strict";
  /**
   * The header User-Arena of a list of marks: required with any value, ignored, or required with the arena of the
   * url.
   */
  readonly userArena: "present" | "ignored" | "required";
  /**
   * A list of marks less than three seconds after the end of the previous one of its table: noted in the journal
   * (tooSoon), or refused with 429 and Retry-After; with node, the previous one of any table counts.
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
   * Start or stop of several prefixes if one is not possible; valid-ones carries out the others, and before those
   * before it, and both answer the error.
   */
  readonly signalingPartial: "all-or-nothing" | "valid-ones" | "before";
  /** A single address in start and stop: only as 192.0.2.1/32, or also as 192.0.2.1; else ip_prefix invalid. */
  readonly signalingAddress: "cidr" | "any";
  /** IPv6 prefixes in start and stop: accepted, or ip_prefix invalid. */
  readonly signalingIpv6: "accepted" | "error";
  /** Which prefixes a client may signal: its registered ones and all within them, or the registered ones exactly. */
  readonly signalingPrefixes: "within" | "registered";
  /** Start of a prefix that lies within an active one or around it: a signaling of its own, or ip_prefix invalid. */
  readonly signalingOverlap: "accepted" | "invalid";
  /** Form of a single address in status: 192.0.2.1/32 or 192.0.2.1. */
  readonly statusForm: "cidr" | "bare";
  /** Format of status: JSON, or one prefix on each line. */
  readonly statusFormat: "json" | "lines";
  /**
   * Place of the object or list of status: alone, or under a member of this name; any name; names within one
   * another are joined by dots.
   */
  readonly statusEnvelope: string;
  /** Member of status that holds the prefixes; any name; none: the list alone. */
  readonly statusName: string;
  /** Form of a single prefix in status: an array with one element, or a text. */
  readonly statusSingle: "array" | "text";
  /**
   * Answer to status when nothing is active: an empty array, null in its place, {}, an empty body, or 404 with a
   * text.
   */
  readonly statusEmpty: "array" | "null" | "object" | "empty" | "not-found";
  /**
   * Answer to start and stop: the text ok, {status: ok}, the text created with status 201, nothing with status
   * 204, nothing, a page of HTML, or {code: 1, message: n records}.
   */
  readonly signalingSuccess: "text" | "status" | "created" | "no-content" | "empty" | "html" | "code-1";
  /**
   * Text of the answer to a successful start or stop; {count} stands for the number of its prefixes. Empty: the
   * form of the other switches.
   */
  readonly signalingText: string;
  /**
   * Text of signaling errors; {message} stands for the text of the contract. Empty: the form of the other
   * switches.
   */
  readonly signalingErrorText: string;
  /** Status of all signaling errors with signalingErrorText; 0: that of each error. */
  readonly signalingErrorStatus: number;
  /** Milliseconds of virtual time until status shows a start. */
  readonly statusDelay: number;
  /** Milliseconds of virtual time after which a signaling ends by itself; 0 is never. */
  readonly lease: number;
}
