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

const RULES: readonly Rule[] = [
  { name: new RegExp(`^(?:disabled|deleted|is_(?:${OPPOSITES}))$`), when: /^(?:true|yes|y|on|1)$/i },
  { name: new RegExp(`^(?:enabled|committed|applied|is_(?:${USUALS}))$`), when: /^(?:false|no|n|off|0)$/i },
  // Numbers under these names may be counters.
  { name: new RegExp(`^(?:${OPPOSITES})$`), when: /^(?:true|yes|y|on)$/i },
  { name: new RegExp(`^(?:${USUALS})$`), when: /^(?:false|no|n|off)$/i },
  { name: /^(?:except(?:ions?)?|exclu(?:de[sd]?|sions?)|not)$/, when: /^(?!(?:\d+|false|no|none|never|null|-)$)./i },
  {
    name: /^(?:action|policy|verdict|disposition|permission|access|state|status|effect|operation|op|list_type)$/,
    when: OTHER_STATE,
  },
  {
    name: /^(?:expir(?:y|e|es_(?:at|on|in)|ation)(?:_(?:date|time))?|expire[sd]?(?:at|on|in)|expiration(?:date|time)|valid_?(?:until|to|till)|until|ttl|timeout|lifetime)$/,
    when: /^(?!(?:0|false|no|none|never|null|-)$)./i,
    isEnd: true,
  },
];

/** For fields without a name, most of which are counters, codes or the word of a command (`permit`). */
const UNNAMED: Rule = { name: /^column \d+$/, when: new RegExp(`^(?:false$|${wordsOf(ENDS)}|${OTHER_TIME})`, "i") };

/** Finds members of records that nothing reads and that may change what the record means. */
export class DoubtfulMembers {
  private readonly rules = new Map<string, Rule | undefined>();

  /** @param withEnds True if members that say when a record ends are such. */
  constructor(private readonly withEnds: boolean) {}

  /** The first such member. @param isKnown True for members that say nothing else. */
  find(
    record: JsonObject,
    isKnown: (name: string) => boolean,
  ): { readonly name: string; readonly isEnd: boolean } | undefined {
    for (const name in record) {
      const { when, isEnd = false } = this.ruleOf(name) ?? {};
      if (!when?.test(textOf(record[name])) || (isEnd && !this.withEnds) || isKnown(name)) continue;
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
    const rule = UNNAMED.name.test(name) ? UNNAMED : RULES.find((one) => one.name.test(plain));
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
