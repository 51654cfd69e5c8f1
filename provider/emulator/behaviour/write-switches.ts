import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { amount, answerText, choice, refuseNames } from "./switch";

const successText = (what: string) =>
  answerText(`the answer to a successful ${what}`, "{count} stands for the number of its entries");

/** Switches for the input and the writes of the node API (docs/contributing/contract.md#set-entries, docs/contributing/contract.md#staging-and-commit). */
export const WRITE_SWITCHES = {
  success: choice(
    ["status", "empty", "text", "count", "ok", "code", "no-content", "code-1000", "code-1"],
    "Answer to insert, delete and commit: {status: ok}, nothing, the text ok, {count: n}, {ok: true}, {code: 0, msg: ok}, nothing with status 204, {code: 1000, message: Command completed successfully}, or {code: 1, message: n records}.",
    ["code-1"],
  ),
  insertText: successText("insert"),
  deleteText: successText("delete"),
  commitText: successText("commit"),
  commitUrl: {
    schema: z
      .string()
      .regex(
        /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^{}\s]|\{\w+\})+)?$/,
        "must be empty or a url such as prefixset://{arena}",
      )
      .superRefine(refuseNames("{arena}, {profile} and {set}"))
      .default("")
      .describe(
        "Url of a commit, with {arena}, {profile} and {set}; a name that a set lacks is left out with the / before it. A commit applies all sets with that url. Empty: the url of the set, as the contract shows it.",
      ),
    alternatives: [],
    refusals: ["prefixset://{arena}"],
    isDrawn: false,
  },
  unknownSet: choice(
    ["refused", "made"],
    "Insert into a set that does not exist, in an existing arena or profile: refused, or it creates the set.",
  ),
  duplicateMembers: choice(
    ["error", "last"],
    "A duplicate name in one JSON object of a request: refused with 400, or the last one counts, as in most JSON parsers.",
  ),
  contentEncoding: choice(
    ["refused", "ignored"],
    "The header Content-Encoding, such as gzip: refused with 415 and the accepted encodings (RFC 9110, 15.5.16), or ignored.",
  ),
  repeatedEntry: choice(
    ["error", "last", "first"],
    "A duplicate prefix in one insert, in any spelling: a refused entry, or the last or first one counts.",
  ),
  insertExisting: choice(
    ["overwrite", "error", "ignored"],
    "Insert of a prefix that is in the set: it gets the new value, the insert is refused, or it succeeds and the old value stays.",
    ["ignored"],
  ),
  deleteAbsent: choice(["success", "error"], "Delete of a prefix that is not in the set."),
  emptyCommit: choice(["success", "error"], "Commit with nothing staged."),
  maxEntriesPerRequest: amount(0, { alternatives: [100] }, "Most data items of a request; 0 is any number."),
  maxBodyBytes: amount(
    64 * 2 ** 20,
    { alternatives: [16_384] },
    "Largest body of a request in bytes; larger ones are refused unread.",
  ),
  setCapacity: amount(
    0,
    { alternatives: [] },
    "Most entries of a set, staged ones included; 0 is any number. An insert above it gets 507.",
  ),
  ipv6: choice(["accepted", "error"], "IPv6 entries in a prefix-set.", ["error"]),
  hostBits: choice(
    ["error", "mask", "keep"],
    "An entry with host bits: refused, masked, or kept and listed in its own spelling, which a delete must use. A state has no host bits: in a snapshot and with persist such an entry is masked.",
  ),
  refusedEntry: choice(
    ["nothing", "rest", "before"],
    "Entries that are staged of a request with a refused entry: none, all others, or those before it.",
  ),
  commitDelay: amount(
    0,
    { alternatives: [50] },
    "Milliseconds of virtual time from the answer of a commit to its effect.",
  ),
  maxValue: amount(MAX_VALUE, { alternatives: [], refusals: [255] }, "Largest value of an entry."),
  deleteCovers: choice(
    ["exact", "covered"],
    "Whether delete removes only the exact prefix, or every prefix that it covers.",
  ),
  deleteSpelling: {
    ...choice(
      ["any", "listed"],
      "Whether delete finds an entry by any spelling of its prefix, or only by the listed one.",
    ),
    alternatives: [],
  },
  trailingSlash: choice(
    ["any", "strict"],
    "Whether any url may end with /, or (as the contract shows it) the commit of a global set must and no other may.",
  ),
  userArena: choice(
    ["present", "ignored", "required"],
    "The header User-Arena of a list of marks: required with any value, ignored, or required with the arena of the url.",
  ),
  markPace: choice(
    ["noted", "table", "node"],
    "A list of marks less than three seconds after the end of the previous one of its table: noted in the journal (tooSoon), or refused with 429 and Retry-After; with node, the previous one of any table counts.",
  ),
  redirect: choice(
    ["none", "307", "308", "301", "302", "307-elsewhere"],
    "Whether /fapi redirects, and to the same origin or another.",
    ["301", "302", "307-elsewhere"],
  ),
};
