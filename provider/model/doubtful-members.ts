import type { JsonObject } from "./json";

/** Members that may change the meaning of a record, by name without blanks and hyphens, with the contents that do so. */
interface Rule {
  readonly name: RegExp;
  readonly when: RegExp;
  readonly isEnd?: boolean;
}

/** Members that are true for an entry that does not count, and for one that does. */
const OPPOSITES =
  "disabled|inactive|negated?|inverted?|allowed|allowlist(?:ed)?|whitelist(?:ed)?|deleted|removed|revoked|expired|withdrawn|delisted";
const USUALS = "enabled|active|blocked|listed|committed|applied|installed";
/** Beginnings of words of a permission, and of an end. */
const PERMITS = "allow|permitt?|accept|pass|(?:white|allow)_?list";
const ENDS = "remov|delet|disabl|inactiv|revok|delist|withdraw|suspend|cancell?";
/** Words of a state before the entry counts, or after. */
const OTHER_TIME =
  "(?:expired?|pending|staged|candidates?|draft|uncommitted|stopp(?:ed|ing))(?![a-z])|fail(?:ed|ure)?(?![a-z]| (?!to\\b)[a-z])";
const wordsOf = (beginnings: string) => `(?:${beginnings})(?:e?[ds]?|n|ing)(?![a-z])`;
/** Words of a permission, of an end, or of a state before the entry counts. */
const OTHER_STATE = new RegExp(`^(?:${wordsOf(`${PERMITS}|${ENDS}`)}|${OTHER_TIME})`, "i");

const STATES = "action|policy|verdict|disposition|permission|access|state|status|effect|operation|op|list_type";
const YES = /^(?:true|yes|y|on|1)$/i;
const NO = /^(?:false|no|n|off|0)$/i;

const RULES: readonly Rule[] = [
  { name: new RegExp(`^(?:disabled|deleted|is_(?:${OPPOSITES}))$`), when: YES },
  { name: new RegExp(`^(?:enabled|committed|applied|is_(?:${USUALS}))$`), when: NO },
  // Numbers under these names may be counters.
  { name: new RegExp(`^(?:${OPPOSITES})$`), when: /^(?:true|yes|y|on)$/i },
  { name: new RegExp(`^(?:${USUALS})$`), when: /^(?:false|no|n|off)$/i },
  { name: /^(?:except(?:ions?)?|exclu(?:de[sd]?|sions?)|not)$/, when: /^(?!(?:\d+|false|no|none|never|null|-)$)./i },
  { name: new RegExp(`^(?:${STATES})$`), when: OTHER_STATE },
];

/** Judgements that an address is no danger. */
const HARMLESS = "benign|safe|clean|harmless|legitimate|trusted|false_?positive";
const SAYS_SOMETHING = /^(?!(?:0|false|no|none|never|null|-)$)./i;

/** Rules for records of files, which come before the others. What a node lists is mostly in force, and its words may be codes. */
const IN_FILES: readonly Rule[] = [
  { name: new RegExp(`^(?:is_)?(?:${HARMLESS}|allow|ignored?|resolved)$|^is_(?:permitt|accept)ed$`), when: YES },
  // Numbers under these names may be counters.
  { name: /^(?:allowed|removed|permitted|accepted)$/, when: /^(?:true|yes|y|on)$/i },
  { name: /^(?:blocked|denied)$/, when: /^(?:false|no|n|off)$/i },
  { name: new RegExp(`^(?:${OPPOSITES}|permit|accept)$`), when: YES },
  { name: new RegExp(`^(?:${USUALS})$|^(?:is_)?(?:malicious|block|deny|banned|ban)$|^is_denied$`), when: NO },
  {
    name: /^(?:type|list|kind|mode|category|rule)$/,
    when: /^(?:allow(?:ed)?|permit(?:ted)?|accept(?:ed)?|pass(?:ed)?|(?:white|allow)[\s_-]?list(?:ed)?|benign|safe|trusted)$/i,
  },
  {
    name: new RegExp(`^(?:${STATES}|decision|classification|change)$`),
    when: new RegExp(
      `${OTHER_STATE.source}|^(?:del|rm|off|${HARMLESS.replace("_?", "[\\s_-]?")}|resolved|closed|ended|end$|lifted|un(?:block|ban|list)(?:n?ed)?|ignored?)(?![a-z])`,
      "i",
    ),
  },
  {
    name: new RegExp(`^(?:${OPPOSITES}|resolved|closed|lifted|unblocked|unbanned)_?(?:at|on|date|time)$`),
    when: SAYS_SOMETHING,
  },
  // The end of a range, unless it is a date.
  { name: /^end$/, when: /^(?:\d{4}[-/]\d|\d{1,2}[./-]\d{1,2}[./-]\d{4}(?!\d))/, isEnd: true },
  {
    name: /^(?:expir(?:y|e|es_(?:at|on|in)|ation)(?:_(?:date|time))?|expire[sd]?_?(?:at|on|in)|expiration(?:date|time)|valid_?(?:until|to|till|before)|until|ttl|timeout|lifetime|duration|end(?:s|ed)?_?(?:at|on|date|time)|not_?after)$/,
    when: SAYS_SOMETHING,
    isEnd: true,
  },
];

/** For fields without a name, most of which are counters, codes or the word of a command (`permit`). */
const UNNAMED: Rule = { name: /^column \d+$/, when: new RegExp(`^(?:false$|${wordsOf(ENDS)}|${OTHER_TIME})`, "i") };

/** Finds members of records that nothing reads and that may change what the record means. */
export class DoubtfulMembers {
  private readonly all: readonly Rule[];
  private readonly rules = new Map<string, Rule | undefined>();

  /** @param inFiles True for records of a file, which may also end and may say more of what they mean. */
  constructor(inFiles: boolean) {
    this.all = inFiles ? [...IN_FILES, ...RULES] : RULES;
  }

  /** The first such member. @param isKnown True for members that say nothing else. */
  find(
    record: JsonObject,
    isKnown: (name: string) => boolean,
  ): { readonly name: string; readonly isEnd: boolean } | undefined {
    for (const name in record) {
      const { when, isEnd = false } = this.ruleOf(name) ?? {};
      if (!when?.test(textOf(record[name])) || isKnown(name)) continue;
      return { name, isEnd };
    }
    return undefined;
  }

  private ruleOf(name: string): Rule | undefined {
    if (this.rules.has(name)) return this.rules.get(name);
    const plain = name
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .replace(/[\s-]+/g, "_");
    const rule = UNNAMED.name.test(name) ? UNNAMED : this.all.find((one) => one.name.test(plain));
    // There may be as many names as records.
    if (this.rules.size < 1_000) this.rules.set(name, rule);
    return rule;
  }
}

function textOf(content: unknown): string {
  if (content === null || content === undefined) return "";
  if (typeof content !== "object") return String(content).trim();
  return Object.keys(content).length === 0 ? "" : "something";
}
