import { allowedValues, maxLifetime, naming, requireReason } from "../../policies/index";
import { judges, NOW, prefixSet, prefixSetEntry, UNKNOWN } from "./support";

const sets = ["blocked", "bogons", "partners"].map((name) => ({
  pattern: `prefixset://*/${name}`,
  role: name === "partners" ? "allow" : "block",
}));
const configured = (rules: object = {}) => ({ config: { sets, rules } as never });
const noted = (note: object | undefined, set = "blocked") =>
  prefixSet({ set, ...(note && { notes: { "203.0.113.0/24": JSON.stringify(note) } }) });

const TICKET = configured({ "require-reason": { ticket: true } });

judges(requireReason, configured(), [
  ["an entry with a reason", noted({ reason: "SYN flood" })],
  ["a blank reason", noted({ reason: "  " }), "entries without a reason (1 of 1)"],
  ["no ticket where one is wanted", noted({ reason: "SYN flood" }), "203.0.113.0/24", TICKET],
  ["a ticket where one is wanted", noted({ reason: "SYN flood", ticket: "INC-1" }), [], TICKET],
  [
    "other roles and excepted sets",
    [noted(undefined, "partners"), noted(undefined, "bogons")],
    [],
    configured({ "require-reason": { except: ["prefixset://*/bogons"] } }),
  ],
  ["a single entry with a reason", prefixSetEntry({ reason: "scanner" })],
  ["a single entry without", prefixSetEntry(), "203.0.113.4/32"],
]);

const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString();
const later = (days: number) => ({ ...configured(), now: new Date(NOW.getTime() + days * 86_400_000) });

judges(maxLifetime, configured(), [
  ["an end that is soon enough", noted({ expires: inDays(90) })],
  ["the same on a later day", noted({ expires: inDays(90) }), [], later(60)],
  ["the same once it is over", noted({ expires: inDays(90) }), [], later(400)],
  [
    "a later end",
    noted({ expires: inDays(91) }),
    `do not expire within 90d (1 of 1): 203.0.113.0/24 (expires ${inDays(91)})`,
  ],
  ["another limit", noted({ expires: inDays(1) }), "within 12h", configured({ "max-lifetime": { longest: "12h" } })],
]);

const valued = prefixSet({ entries: { "203.0.113.0/24": 1, "192.0.2.0/24": 3 } });
const inStack = (stack: string) => ({
  ...configured({
    "allowed-values": {
      allowed: [
        { stack: "prod*", values: [1, 2] },
        { stack: "test", set: "prefixset://edge/blocked", values: [1] },
        { stack: "test", values: [1, 3] },
        { set: "prefixset://edge/partners", values: [9] },
      ],
    },
  }),
  stack,
});

judges(allowedValues, configured(), [
  ["every value without configuration", prefixSet({ entries: { "203.0.113.0/24": 4_294_967_295 } })],
  [
    "a value that is not listed for the stack",
    valued,
    "other than 1, 2 (1 of 2): 192.0.2.0/24 (value 3)",
    inStack("prod-eu"),
  ],
  ["the same in another stack", valued, [], inStack("dev")],
  [
    "a local set, for which two lines are: the first one counts",
    { ...valued, inputs: { ...valued.inputs, profile: "web" } },
    "other than 1 (1 of 2)",
    inStack("test"),
  ],
  [
    "known values beside unknown ones",
    prefixSet({ entries: { "203.0.113.0/24": UNKNOWN, "192.0.2.0/24": 3 } }),
    ["192.0.2.0/24 (value 3)", "`value` is known only in the update"],
    inStack("prod"),
  ],
]);

judges(naming, {}, [
  ["lower-case names", prefixSet({ profile: "web-1" })],
  ...["arena", "profile", "set"].map(
    (part) => [`a bad ${part}`, prefixSet({ [part]: "Web_ÄX" }), `the ${part}, "Web_ÄX", does not match`] as const,
  ),
  [
    "another pattern",
    prefixSet(),
    '"blocked", does not match ^(src|dst)-',
    configured({ naming: { set: "^(src|dst)-" } }),
  ],
]);
