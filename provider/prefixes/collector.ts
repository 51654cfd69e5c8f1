import { isEntryValue, MAX_VALUE, NO_SENT } from "../model/entry";
import type { JsonObject } from "../model/json";
import { announcedIn } from "../model/list-totals";
import { type HostBits, isCanonical, Prefix, PrefixError } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { count, grouped } from "../model/text";
import { Announcements } from "./announcements";
import { type Chooser, chooser, contradiction } from "./duplicates";
import { isExpiry, isSent, makeEntry, type PrefixEntries, type PrefixEntry, plainEntry } from "./entries";
import type { RecordShape } from "./lists/list";
import type { PrefixFileOptions } from "./options";
import { type Place, type Problems, type RawEntry, shown, type Where } from "./problems";
import { rangeEnds, rangeToPrefixes } from "./range";
import { isAbsent } from "./record-prefix";
import { Selection } from "./selection";

/** The beginning of a file. */
export const START: Place = { line: 1, column: 1 };

/** Turns the records of a file into entries, by the rules of all formats. */
export class Collector {
  private readonly entries: PrefixEntries = {};
  protected size = 0;
  /** All records of the file, also those not selected or wrong. */
  private records = 0;
  /** Number of records that a list omits, by kind. */
  readonly leftOut = new Map<string, number>();
  private readonly announcements = new Announcements();
  /** Name of the list of the lines, where they have one. */
  private list: string | undefined;
  private readonly hostBits: HostBits;
  protected readonly plain: PrefixEntry;
  private readonly selection: Selection;
  protected readonly isSelecting: boolean;
  protected readonly choose: Chooser;

  constructor(
    protected readonly options: PrefixFileOptions,
    readonly problems: Problems,
    /** Milliseconds since 1970. */
    readonly now: number,
  ) {
    this.hostBits = options.hostBits ?? "reject";
    this.selection = new Selection(options.select);
    this.choose = chooser(options.onDuplicate, now);
    this.isSelecting = options.select !== undefined;
    this.plain = makeEntry(options.value ?? 1, { reason: options.reason });
  }

  /** True for a record that `select` selects; any other is counted as read. */
  takes(members: JsonObject): boolean {
    const taken = this.selection.takes(members);
    if (!taken) this.records++;
    return taken;
  }

  /** True for a member by which the user selects. */
  selects(member: string): boolean {
    return this.selection.names(member);
  }

  /** Takes a line with nothing but a prefix in canonical form, if it can; the quickest way for a million of them. */
  takesPlain(text: string, line: number): boolean {
    const prefix = this.isSelecting ? undefined : quickly(text);
    if (prefix === undefined) return false;
    this.records++;
    this.keep(prefix, this.plain, () => ({ line, column: 1 }));
    return true;
  }

  /** Counts a record, and one entry of it. */
  protected countPlain(): void {
    this.records++;
    this.size++;
  }

  /** As {@link takes}, for an entry of a list with a name (the member \`list\`): without \`select\`, all must be of one list. */
  takesFrom(list: string, where: Place): boolean {
    if (!this.takes({ list })) return false;
    this.list ??= list;
    if (list === this.list || this.selection.names("list")) return true;
    this.problems.fail(
      where,
      `belongs to the list ${shown(list)}, and earlier lines to ${shown(this.list)}: choose with select: { list: ${shown(list)} }, several by an array.`,
    );
  }

  /** True for a record that its list omits; it is counted, too. */
  omits(members: JsonObject, { omits = [] }: RecordShape): boolean {
    const by = omits.find(({ member, when }) => !this.selection.names(member) && when(members[member]));
    if (!by) return false;
    this.records++;
    this.leftOut.set(by.words, (this.leftOut.get(by.words) ?? 0) + 1);
    return true;
  }

  add(found: RawEntry, where: Where): void {
    this.records++;
    const entry = this.entryOf(found, where);
    const prefix = typeof found.prefix === "string" ? quickly(found.prefix) : undefined;
    if (prefix !== undefined) this.keep(prefix, entry, where);
    else for (const one of this.prefixesOf(found.prefix, where)) this.keep(one, entry, where);
  }

  /** True for a text with a line end that editors know and readers do not, behind which an entry may stand; it is a problem. */
  refusesLineEnd(text: string, line: number): boolean {
    const at = text.search(/[\v\f\u0085\u2028\u2029]/);
    if (at < 0) return false;
    // In a comment or a blank line it matters only before a prefix.
    const [before, ...behind] = text.split(/[\v\f\u0085\u2028\u2029]/);
    const isAside = /^\s*$|[#;]/.test(before ?? "");
    const isEntry = (part: string) => prefixIn(part.trim().split(/[\s,;#]/, 1)[0] ?? "", { hostBits: "mask" });
    if (isAside && !behind.some(isEntry)) return false;
    const problem = "has a line end that is not LF, CR LF or CR: write one prefix a line, each with LF.";
    this.problems.add({ line, column: at + 1 }, problem);
    return true;
  }

  /** Takes a comment line, which may announce the number of records. */
  comment(text: string, place: Place): void {
    const announced = announcedIn(text);
    if (announced) this.announcements.add(announced, place, this.records);
  }

  /** @throws {PrefixFileError} if there was a problem. */
  finish(): PrefixEntries {
    if (!this.options.allowEmpty) this.announcements.judge(this.records, () => this.areSingle(), this.problems);
    this.problems.throwIfAny();
    if (!this.options.allowEmpty && this.size === 0) this.problems.fail(START, this.nothing());
    return this.entries;
  }

  /** True if each prefix is one address. */
  protected areSingle(): boolean {
    return Object.keys(this.entries).every((prefix) => prefix.endsWith(prefix.includes(":") ? "/128" : "/32"));
  }

  private nothing(): string {
    if (this.leftOut.size > 0) {
      return `nothing is left of it: ${leftOutWords(this.leftOut)}. Set allowEmpty: true if that is intended, or choose with select.`;
    }
    if (this.records > 0) return this.selection.explain();
    return "there is no prefix in it: fetch or write it again, or set allowEmpty: true if an empty list is intended.";
  }

  private prefixesOf(spelling: unknown, where: Where): readonly string[] {
    try {
      if (typeof spelling !== "string") {
        this.problems.add(where("prefix"), `${shown(spelling)} is not a text with a prefix in it.`);
        return [];
      }
      const ends = rangeEnds(spelling);
      if (ends) return rangeToPrefixes(...ends);
      return [Prefix.parse(spelling, { hostBits: this.hostBits }).toString()];
    } catch (error) {
      if (!(error instanceof PrefixError || error instanceof RangeError)) throw error;
      this.problems.add(where("prefix"), oddText(String(spelling)) ?? error.message);
      return [];
    }
  }

  private entryOf(found: RawEntry, where: Where): PrefixEntry {
    const value = isAbsent(found.value) ? this.plain.value : this.valueOf(found.value, where);
    const reason = this.textOf(found, "reason", where) ?? this.plain.reason;
    const ticket = this.textOf(found, "ticket", where);
    const expires = this.textOf(found, "expires", where);
    if (expires !== undefined && !isExpiry(expires)) {
      this.problems.add(
        where("expires"),
        `${shown(expires)} is not an ISO time with zone: write for example "2030-01-31T18:00:00Z".`,
      );
    }
    const sent = this.sentOf(found, where);
    if (ticket === undefined && expires === undefined && sent === undefined && reason === this.plain.reason) {
      if (value === this.plain.value) return this.plain;
      if (reason === undefined) return plainEntry(value);
    }
    return makeEntry(value, { reason, ticket, expires, sent });
  }

  private sentOf({ sent }: RawEntry, where: Where): string | undefined {
    if (isAbsent(sent)) return undefined;
    if (isSent(sent)) return sent;
    this.problems.add(where("sent"), `what was sent ${NO_SENT}.`);
    return undefined;
  }

  private valueOf(given: unknown, where: Where): number {
    const value = typeof given === "string" && /^\d{1,10}$/.test(given) ? Number(given) : given;
    if (isEntryValue(value)) return value;
    this.problems.add(where("value"), `the value ${shown(given)} is not an integer from 0 to ${MAX_VALUE}.`);
    return 0;
  }

  private textOf(found: RawEntry, part: "reason" | "ticket" | "expires", where: Where): string | undefined {
    const given = found[part];
    if (isAbsent(given)) return undefined;
    if (typeof given === "string") return given;
    this.problems.add(where(part), `the ${part} ${shown(given)} is not a text.`);
    return undefined;
  }

  protected keep(prefix: string, entry: PrefixEntry, where: Where): void {
    const earlier = this.entries[prefix];
    if (earlier !== undefined) {
      const kept = this.choose(earlier, entry);
      if (kept === undefined) this.problems.add(where("prefix"), contradiction(prefix, earlier, entry));
      else this.entries[prefix] = kept;
      return;
    }
    if (this.size >= this.most) this.refuseMore(where("prefix"));
    this.entries[prefix] = entry;
    this.size++;
  }

  /** Most entries. */
  protected get most(): number {
    return this.options.maxEntries ?? Number.POSITIVE_INFINITY;
  }

  protected refuseMore(place: Place): never {
    this.problems.fail(
      place,
      `more than ${count(this.most, "entry", "entries")}: shorten the file, or raise maxEntries.`,
    );
  }
}

/** The problem of a prefix with characters that people do not see, or with brackets. */
function oddText(spelling: string): string | undefined {
  if (spelling.includes("\0")) return "holds NUL characters: save it as UTF-8 text.";
  const [hidden] = /[\u00a0\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/.exec(spelling) ?? [];
  if (hidden !== undefined) {
    const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `${JSON.stringify(spelling.slice(0, 64))} has an invisible character (U+${code}): remove it.`;
  }
  const [, inner] = /^\[([0-9a-f:.]+)\](?:\/\d+)?$/i.exec(spelling) ?? [];
  return inner === undefined
    ? undefined
    : `${JSON.stringify(spelling)} has brackets: write ${spelling.replace(/[[\]]/g, "")} without them.`;
}

/** `2 records are left out (1 simulated, 1 of another type than "ban")`. */
export function leftOutWords(leftOut: ReadonlyMap<string, number>): string {
  const total = [...leftOut.values()].reduce((sum, number) => sum + number, 0);
  const kinds = [...leftOut].map(([words, number]) => `${grouped(number)} ${words}`);
  return `${count(total, "record is", "records are")} left out (${kinds.join(", ")})`;
}

/** Fast path for a million lines: a prefix in canonical form, or an address in it. */
function quickly(spelling: string): string | undefined {
  const text = spelling.includes("/") ? spelling : `${spelling}/${spelling.includes(":") ? 128 : 32}`;
  return isCanonical(text) ? text : undefined;
}
