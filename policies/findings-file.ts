import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { openOwnSync } from "../provider/files/no-links";
import { PolicyConfigError } from "./config/errors";

/** A line of the file, as schemas/policy-finding.schema.json has it. */
type Line =
  | { readonly rules: number }
  | {
      readonly policy: string;
      readonly level: "mandatory" | "advisory";
      readonly message: string;
      readonly urn?: string;
    };

/**
 * The file that `PACKETFILTER_POLICIES_REPORT` names, for `report --policies`: the engine's JSON has no messages of
 * policies. Each line is one JSON object; the first one marks the start of the pack.
 */
export class FindingsFile {
  private readonly written = new Set<string>();

  /** @param file A descriptor, so that a renamed or replaced file changes nothing. */
  private constructor(private readonly file: number | undefined) {}

  /**
   * Empties the file, so that no finding of an earlier run remains.
   *
   * @throws {PolicyConfigError} when it cannot be written.
   */
  static open(environment: Readonly<Record<string, string | undefined>>): FindingsFile {
    const named = environment.PACKETFILTER_POLICIES_REPORT;
    if (!named) return new FindingsFile(undefined);
    const file = resolve(environment.PACKETFILTER_PROGRAM_FOLDER ?? environment.PWD ?? ".", named);
    try {
      return new FindingsFile(openOwnSync(file, "replace"));
    } catch (error) {
      const message = `cannot be written: ${(error as Error).message}`;
      throw new PolicyConfigError("PACKETFILTER_POLICIES_REPORT", [{ path: "", message }]);
    }
  }

  /** Writes each line once, although the engine may check a resource more than once. */
  write(record: Line): void {
    if (this.file === undefined) return;
    const line = JSON.stringify(record);
    if (this.written.has(line)) return;
    this.written.add(line);
    writeSync(this.file, `${line}\n`);
  }
}
