import type { ActionSpec, MatchSpec } from "../../provider/emulator/rules/rule-schema";

/** A member of a match, or an action, as the reference shows it: what it means, and an example as it stands in a state. */
export interface Described<Example> {
  readonly about: string;
  readonly example: Example;
}

/** Names of actions: those that are a word, and those that are an object with one member. */
type ActionName = ActionSpec extends infer Each ? (Each extends string ? Each : keyof Each) : never;

/** Every member that a match can have. A match holds when all of its members do, and a rule when all of its matches do. */
export const MATCH_MEMBERS: { readonly [Name in keyof Required<MatchSpec>]: Described<MatchSpec> } = {
  source: {
    about: "The sender is in one of these prefixes.",
    example: { source: ["203.0.113.0/24", "2001:db8::/32"] },
  },
  destination: { about: "The recipient is in one of these prefixes.", example: { destination: "198.51.100.7" } },
  protocol: { about: "One of these L4 protocols, by name or number.", example: { protocol: ["tcp", 17] } },
  sourcePort: { about: "One of these ports or ranges of ports.", example: { sourcePort: 53 } },
  destinationPort: {
    about: "One of these ports or ranges of ports.",
    example: { destinationPort: [443, "8000-8999"] },
  },
  flags: {
    about: "TCP flags that must be set, and that must not. Never holds for other protocols.",
    example: { flags: { set: ["syn"], unset: ["ack"] } },
  },
  length: { about: "Bounds of the packet's length in bytes, both included.", example: { length: { min: 1000 } } },
  set: {
    about:
      "An address lies in a prefix-set, as committed: the sender, or `of: destination`; with `value`, only in an entry whose value is so.",
    example: { set: { name: "blocked", value: { ge: 2 } } },
  },
  mark: {
    about: "The packet has a live record in a table of marks of this profile.",
    example: { mark: { type: "shost", value: { gt: 10 } } },
  },
  rate: {
    about:
      "What comes beyond so many in a window of a second (`window`), counted by sender (`per`), in packets (`unit`).",
    example: { rate: { above: 2, per: "source" } },
  },
  not: { about: "Holds when what stands in it does not.", example: { not: { protocol: "tcp" } } },
};

/** Every action. `accept` and `drop` end the walk through the rules; all others go on. */
export const ACTIONS: { readonly [Name in ActionName]: Described<ActionSpec> } = {
  accept: { about: "Lets the packet pass.", example: "accept" },
  drop: { about: "Drops the packet.", example: "drop" },
  count: { about: "Counts packets and bytes of the rule, for `counters()`.", example: "count" },
  hmark: { about: "Marks the sender (`shost`).", example: { hmark: { add: 1, lifetime: 600 } } },
  dhmark: { about: "Marks the recipient (`dhost`).", example: { dhmark: { set: 7 } } },
  dmark: { about: "Another name of `dhmark`.", example: { dmark: {} } },
  sdhmark: { about: "Marks the pair of both (`sdhost`).", example: { sdhmark: { max: 3, lifetime: 60 } } },
  connmark: { about: "Marks the connection (`conn`).", example: { connmark: { id: 70001 } } },
};
