import { z } from "zod";
import { plainData } from "../model/plain-data";
import { grouped } from "../model/text";
import type { Report } from "./model";

/** A comment has room for fewer, and the file may come from a job that ran the code of a change. */
const MOST_FINDINGS = 20_000;

const startSchema = z
  .strictObject({
    rules: z.int().min(0).describe("Number of policies in the pack, those that are switched off included."),
  })
  .describe("The first line: the pack has started. A file without it is of a pack that did not start.");

const findingSchema = z
  .strictObject({
    policy: z.string().max(200).describe("Name of the policy."),
    level: z
      .enum(["mandatory", "advisory"])
      .describe("By the configuration file; --policy-pack-config is not known here."),
    message: z.string().max(100_000).describe("The mistake and its remedy."),
    urn: z.string().max(10_000).optional().describe("The resource; absent: the whole stack."),
  })
  .describe("Each further line: what one policy says.");

/**
 * Reads the file that `policies/run` wrote for `PACKETFILTER_POLICIES_REPORT`.
 *
 * @throws {Error} for anything else
 */
export function parseFindings(text: string): NonNullable<Report["policies"]> {
  const [first = "", ...rest] = text.split("\n");
  if (text.trim() === "")
    throw new Error("The policies did not start: their file is empty. What pulumi printed on standard error says why.");
  if (rest.at(-1) === "") rest.pop();
  if (rest.length > MOST_FINDINGS)
    throw new Error(`There are more than ${grouped(MOST_FINDINGS)} findings: mend the policies or the program.`);
  const { rules } = read(startSchema, first, 1);
  const found: ReturnType<typeof parseFindings> = { rules, mandatory: [], advisory: [] };
  for (const [index, line] of rest.entries()) {
    const { level, ...finding } = read(findingSchema, line, index + 2);
    found[level].push(finding);
  }
  return found;
}

function read<T>(schema: z.ZodType<T>, line: string, number: number): T {
  try {
    return schema.parse(plainData(line));
  } catch {
    throw new Error(
      `Line ${number} of the findings is none that policies/run writes: give the file that PACKETFILTER_POLICIES_REPORT named.`,
    );
  }
}

/** The JSON Schema of a line, published as schemas/policy-finding.schema.json. */
export function findingJsonSchema(): object {
  return {
    title: "A line of the file that policies/run of pulumi-packetfilter writes for PACKETFILTER_POLICIES_REPORT",
    ...z.toJSONSchema(z.union([startSchema, findingSchema])),
  };
}
