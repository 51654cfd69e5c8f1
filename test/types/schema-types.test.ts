import { join } from "node:path";
import { expect, test } from "vitest";
import { dialectSchema } from "../../provider/emulator/behaviour/dialect";
import { faultSchema } from "../../provider/emulator/behaviour/fault-schema";
import { trafficRequest } from "../../provider/emulator/control/traffic";
import { harSchema } from "../../provider/emulator/journal/har";
import { marksSchema } from "../../provider/emulator/marks";
import { ruleSchema } from "../../provider/emulator/rules/rule-schema";
import { stateSchema } from "../../provider/emulator/state/state";
import { type Made, typesOf } from "./schema-types";

const emulator = join(__dirname, "../../provider/emulator");

const MADE: Readonly<Record<string, Made>> = {
  "behaviour/schema-types.ts": { types: { Dialect: dialectSchema }, io: "output" },
  "behaviour/fault-types.ts": { types: { Fault: faultSchema } },
  "control/schema-types.ts": { types: { TrafficRequest: trafficRequest } },
  "journal/schema-types.ts": { types: { Har: harSchema } },
  "marks/schema-types.ts": { types: { MarkRecords: marksSchema } },
  "rules/schema-types.ts": {
    types: { RuleSpec: ruleSchema },
    named: { Match: "MatchSpec", Action: "ActionSpec", Comparison: "ComparisonSpec", MarkAction: "MarkActionSpec" },
  },
  "state/schema-types.ts": {
    types: { EmulatorState: stateSchema },
    named: { Rule: "RuleSpec", Marks: "MarkRecords" },
    imports: ['import type { MarkRecords } from "../marks";', 'import type { RuleSpec } from "../rules/rule-schema";'],
  },
};

// Written anew by `vitest run -u`.
test.each(Object.entries(MADE))(
  "the types in %s are those of the schemas, with what these say as comments",
  async (file, made) => {
    await expect(typesOf(made)).toMatchFileSnapshot(join(emulator, file));
  },
);
