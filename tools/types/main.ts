import { policyConfigSchema } from "../../policies/config/schema";
import { dialectSchema } from "../../provider/emulator/behaviour/dialect";
import { faultSchema } from "../../provider/emulator/behaviour/fault-schema";
import { infoSchema } from "../../provider/emulator/control/about";
import {
  journalEntry,
  markLosses,
  markRecord,
  runSchema,
  trafficSummary,
  verdict,
} from "../../provider/emulator/control/answers";
import { journalFilter, journalRange, markQuery, requestWait } from "../../provider/emulator/control/arguments";
import { isolatedOptions } from "../../provider/emulator/control/emulators";
import { trafficRequest } from "../../provider/emulator/control/traffic";
import { harSchema } from "../../provider/emulator/journal/har";
import { marksSchema } from "../../provider/emulator/marks";
import { credentialsSchema, optionsSchema } from "../../provider/emulator/options";
import { ruleSchema } from "../../provider/emulator/rules/rule-schema";
import { stateSchema } from "../../provider/emulator/state/state";
import { type Made, typesOf } from "./writer";

const MADE: Readonly<Record<string, Made>> = {
  "provider/emulator/answer-types.ts": {
    types: {
      JournalEntry: journalEntry,
      MarkLosses: markLosses,
      MarkRecord: markRecord,
      Run: runSchema,
      TrafficSummary: trafficSummary,
      Verdict: verdict,
    },
    io: "output",
    named: { CommitRecord: "CommitRecord", MarkTouch: "MarkTouch" },
    members: { type: "MarkType" },
    imports: ['import type { MarkType } from "../model/mark";'],
  },
  "provider/emulator/behaviour/schema-types.ts": { types: { Dialect: dialectSchema }, io: "output" },
  "provider/emulator/behaviour/fault-types.ts": { types: { Fault: faultSchema } },
  "provider/emulator/control/schema-types.ts": {
    types: {
      MarkQuery: markQuery.describe("Filter of the records of a mark table."),
      RequestWait: requestWait.describe("Options for waiting for a request."),
      TrafficRequest: trafficRequest,
    },
    members: {
      contains: "PrefixLike",
      within: "Duration",
      to: "readonly PrefixLike[]",
      from: "readonly PrefixLike[]",
    },
    imports: [
      'import type { PrefixLike } from "../../model/given-entries";',
      'import type { Duration } from "../time/duration";',
    ],
  },
  "provider/emulator/info-types.ts": {
    types: { EmulatorInfo: infoSchema },
    io: "output",
    named: { ClientCredentials: "ClientCredentials" },
    members: { dialect: "DialectSettings", tls: "ClientTls" },
    imports: [
      'import type { DialectSettings } from "./behaviour/dialect";',
      'import type { ClientTls } from "./http/certificates";',
    ],
  },
  "provider/emulator/isolated-types.ts": {
    types: {
      IsolatedOptions: isolatedOptions.describe(
        "Options of an isolated emulator. It inherits all others from the emulator that starts it, except ports, files, addresses of other machines, `onRequest` and `expectAllFaultsMet`.",
      ),
    },
    members: { state: "GivenState", dialect: "string | DialectSettings" },
    imports: [
      'import type { DialectSettings } from "./behaviour/dialect";',
      'import type { GivenState } from "./state/given-state";',
    ],
  },
  "provider/emulator/options-types.ts": {
    types: { EmulatorOptions: optionsSchema, NodeAuth: credentialsSchema },
    members: {
      state: "GivenState | (() => GivenState | Promise<GivenState>)",
      dialect: "string | DialectSettings",
      latency: "Latency",
      commitLatency: "Latency",
      auth: "NodeAuth",
      tls: "TlsChoice",
      journalLimits: "Partial<JournalLimits>",
      runPause: "Duration",
      marks: "MarkLimits",
      onRequest: "(entry: JournalEntry) => void",
      wall: "Wall",
    },
    imports: [
      'import type { DialectSettings } from "./behaviour/dialect";',
      'import type { TlsChoice } from "./http/certificates";',
      'import type { JournalEntry } from "./journal/entry";',
      'import type { JournalLimits } from "./journal/journal";',
      'import type { MarkLimits } from "./marks";',
      'import type { GivenState } from "./state/given-state";',
      'import type { Wall } from "./time/clock";',
      'import type { Duration, Latency } from "./time/duration";',
    ],
  },
  "provider/emulator/journal/schema-types.ts": {
    types: {
      Har: harSchema,
      JournalFilter: journalFilter.describe("Filter of entries: every given member must match."),
      JournalRange: journalRange.describe("Range of the matching entries."),
    },
    members: { contains: "PrefixLike", type: "MarkType" },
    imports: [
      'import type { PrefixLike } from "../../model/given-entries";',
      'import type { MarkType } from "../../model/mark";',
    ],
  },
  "provider/emulator/marks/schema-types.ts": { types: { MarkRecords: marksSchema } },
  "provider/emulator/rules/schema-types.ts": {
    types: { RuleSpec: ruleSchema },
    named: { Match: "MatchSpec", Action: "ActionSpec", Comparison: "ComparisonSpec", MarkAction: "MarkActionSpec" },
  },
  "provider/emulator/state/schema-types.ts": {
    types: { EmulatorState: stateSchema },
    named: { Rule: "RuleSpec", Marks: "MarkRecords" },
    imports: ['import type { MarkRecords } from "../marks";', 'import type { RuleSpec } from "../rules/rule-schema";'],
  },
  "policies/config/input-types.ts": {
    types: { PolicyConfigInput: policyConfigSchema([]).describe("A configuration as people write it.") },
    members: { rules: "RuleSettings" },
    imports: ['import type { RuleSettings } from "./rule-settings";'],
  },
  "policies/config/schema-types.ts": {
    types: { PolicyConfig: policyConfigSchema([]).describe("A configuration as it was read.") },
    io: "output",
    members: {
      ownedPrefixes: "readonly Prefix[]",
      managementPrefixes: "readonly Prefix[]",
      "exceptions.prefix": "Prefix",
      "exceptions.until": `{
/** Its text in the configuration. */
readonly text: string;
/** Its last moment, in milliseconds since 1970. */
readonly moment: Date;
}`,
      rules: "RuleSettings",
    },
    imports: [
      'import type { Prefix } from "../../provider/model/prefix";',
      'import type { RuleSettings } from "./rule-settings";',
    ],
  },
};

/** Files of types that schemas tell, with what the schemas say as comments, by their paths. */
export const files = Object.fromEntries(Object.entries(MADE).map(([file, made]) => [file, typesOf(made)]));
