import type { JsonObject } from "./json";

/** Members that may change the meaning of a record, by name without blanks and hyphens, with the contents that do so. */
interface Rule {
  readonly name: RegExp;
  readonly when: RegExp;
  readonly isEnd?: boolean;
}

const YES = /^(?:true|yes|y|on|1)$/i;
const NO = /^(?:false|no|n|off|0)$/i;
/** Words of a permission, of an end, or of a state before the entry counts. */
const OTHER_STATE =
  /^(?:allow|permit|accept|pass|white_?list|allow_?list|remove|delete|disable|inactive|expire|revoke|delist|withdraw|pending|staged|candidate|draft|uncommitted|stopped|stopping|cancel|suspend|fail)/i;
const SOMETHING = /^(?!(?:0|false|no|none|never|null|-)$)./i;

const RULES: readonly Rule[] = [
  { name: /^(?:is_)?(?:disabled|inactive|negated?|inverted?|allowed|allowlist(?:ed)?|whitelist(?:ed)?)$/, when: YES },
  { name: /^(?:is_)?(?:deleted|removed|revoked|expired|withdrawn|delisted)$/, when: YES },
  { name: /^(?:is_)?(?:enabled|active|blocked|listed|committed|applied|installed)$/, when: NO },
  {
    name: /^(?:action|policy|verdict|disposition|permission|access|state|status|effect|operation|op|list_type)$/,
    when: OTHER_STATE,
  },
  // Fields without a name.
  { name: /^column_\d+$/, when: new RegExp(`${OTHER_STATE.source}|${NO.source}`, "i") },
  { name: /^(?:except(?:ions?)?|exclu(?:de[sd]?|sions?)|not)$/, when: SOMETHING },
  {
    name: /^(?:expir(?:y|e|es_(?:at|on|in)|ation)(?:_(?:date|time))?|expire[sd]?(?:at|on|in)|expiration(?:date|time)|valid_?(?:until|to|till)|until|ttl|timeout|lifetime)$/,
    when: SOMETHING,
    isEnd: true,
  },
];

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
    const rule = RULES.find((one) => one.name.test(plain));
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
