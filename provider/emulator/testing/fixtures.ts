import { JOURNAL } from "../defaults";
import type { JournalEntry, JournalFilter } from "../journal/entry";
import { describeEntry } from "../journal/journal-text";

/** Options for tests that share an emulator. */
export interface FixtureOptions {
  /**
   * Whether each test begins with the emulator as it was at its start, and its requests are a run of its own. Default true. Set it to false
   * where files use one emulator side by side: each request then carries the label of its test, see `run`.
   */
  readonly reset?: boolean;
  /** Whether a test that passed fails when a fault that was set was never met. Default false. */
  readonly expectAllFaultsMet?: boolean;
}

/** Fixtures for `test.extend` of vitest. */
export interface EmulatorFixtures<Shared> {
  /** The emulator, as this test finds it. */
  readonly emulator: (context: FixtureContext, use: (emulator: Shared) => Promise<void>) => Promise<void>;
  /** Label of this test: its requests carry it in the header `Packetfilter-Run`, and `requests({ run })` finds them by it. */
  readonly run: (context: FixtureContext, use: (run: string) => Promise<void>) => Promise<void>;
}

/** Members of a test that the fixtures use: vitest is not loaded for it. */
interface FixtureContext {
  /** The test. */
  readonly task: FixtureTask;
  /** Is called where it fails. */
  readonly onTestFailed: (run: (context: Pick<FixtureContext, "task">) => Promise<void>) => void;
}

interface FixtureTask {
  /** Of this test alone. */
  readonly id: string;
  /** As it is written. */
  readonly name: string;
  /** File of the test. */
  readonly file: Pick<FixtureTask, "name">;
  /** Result, once it has ended. */
  readonly result?: FixtureResult | undefined;
}

interface FixtureResult {
  /** `pass` or `fail`. */
  readonly state: string;
  /** Errors with which it failed. */
  readonly errors?: Pick<Error, "message">[] | undefined;
}

/** Methods that are used of an emulator, here or from afar. */
interface SharedEmulator {
  reset(): unknown;
  beginRun(label: string): unknown;
  requests(filter: JournalFilter): readonly JournalEntry[] | Promise<readonly JournalEntry[]>;
  expectAllFaultsMet(): unknown;
}

/**
 * Fixtures of vitest for tests that share an emulator: each begins with a reset, and a failed one lists the requests to the emulator.
 *
 * @param shared What `startEmulator` or `connectEmulator` gave. It is not closed.
 * @example
 * ```ts
 * import { test as base } from "vitest";
 * const emulator = await connectEmulator("http://127.0.0.1:9180");
 * const test = base.extend(emulatorFixtures(emulator));
 *
 * test("a set is committed once", async ({ emulator }) => {
 *   await emulator.expectRequests({ cmd: "commit" }, 1);
 * });
 * ```
 */
export function emulatorFixtures<Shared extends SharedEmulator>(
  shared: Shared,
  { reset = true, expectAllFaultsMet = false }: FixtureOptions = {},
): EmulatorFixtures<Shared> {
  return {
    // vitest reads the names of what a fixture uses in its text.
    emulator: async ({ task, onTestFailed }, use) => {
      const run = labelOf(task);
      if (reset) {
        await shared.reset();
        await shared.beginRun(run);
      }
      onTestFailed(async ({ task: { result } }) => {
        const asked = await askedOf(shared, reset ? {} : { run });
        for (const error of result?.errors?.slice(0, 1) ?? []) error.message += `\n\n${asked}`;
      });
      await use(shared);
      // The failure of the test itself comes first: a test that ended early could not meet its faults.
      if (expectAllFaultsMet && task.result?.state !== "fail") await shared.expectAllFaultsMet();
    },
    run: async ({ task }, use) => use(labelOf(task)),
  };
}

/** File and name of a test, and its number, since two may have one name: as far as a header can carry them. */
function labelOf({ id, name, file }: FixtureTask): string {
  const text = `${file.name} ${id.replace(/^\D*\d+_/, "")} ${name}`;
  return text
    .replace(/[^ -~]/g, "?")
    .slice(0, JOURNAL.labelCharacters)
    .trim();
}

/** Requests of a test, in lines for people. */
async function askedOf(shared: SharedEmulator, filter: JournalFilter): Promise<string> {
  try {
    const entries = await shared.requests(filter);
    if (entries.length === 0) return "The emulator was asked nothing.";
    const shown = entries.slice(-JOURNAL.attached);
    const first = shown.length < entries.length ? `, the last ${shown.length} of ${entries.length} requests` : "";
    return [`The emulator was asked${first}:`, ...shown.map((it) => `  #${it.index} ${describeEntry(it)}`)].join("\n");
  } catch (error) {
    return `What the emulator was asked cannot be read: ${error}`;
  }
}
