import { expectNone, type UnmetFault } from "../behaviour/unmet-faults";
import { JOURNAL } from "../defaults";
import type { JournalEntry, JournalFilter } from "../journal/entry";
import { describeEntry } from "../journal/journal-text";

/** Options for tests that share an emulator. */
export interface FixtureOptions {
  /**
   * Whether each test begins with a reset and a new run. Default true. Set it to false if files use one emulator in parallel:
   * each request must then carry the label of its test, see `run`.
   */
  readonly reset?: boolean;
  /** Whether a passed test fails if a fault affected no request; without `reset`, a fault for its own `run`. Default false. */
  readonly expectAllFaultsMet?: boolean;
}

/** Fixtures for `test.extend` of vitest. */
export interface EmulatorFixtures<Shared> {
  /** The emulator, after its reset. */
  readonly emulator: (context: FixtureContext, use: (emulator: Shared) => Promise<void>) => Promise<void>;
  /** Label of this test: its requests carry it in the header `Packetfilter-Run`, and `requests({ run })` finds them by it. */
  readonly run: (context: FixtureContext, use: (run: string) => Promise<void>) => Promise<void>;
}

/** Members of vitest's context that the fixtures use, without loading vitest. */
interface FixtureContext {
  /** The test. */
  readonly task: FixtureTask;
  /** Calls back if the test fails. */
  readonly onTestFailed: (run: (context: Pick<FixtureContext, "task">) => Promise<void>) => void;
}

interface FixtureTask {
  /** Unique id of the test. */
  readonly id: string;
  /** Name in the source. */
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

/** Methods of a local or remote emulator that the fixtures use. */
interface SharedEmulator {
  reset(): unknown;
  beginRun(label: string): unknown;
  requests(filter: JournalFilter): readonly JournalEntry[] | Promise<readonly JournalEntry[]>;
  unmetFaults(): readonly UnmetFault[] | Promise<readonly UnmetFault[]>;
}

/**
 * Fixtures of vitest for tests that share an emulator: each begins with a reset, and a failed one lists the requests to the emulator.
 *
 * @param shared Result of `startEmulator` or `connectEmulator`. The fixtures do not close it.
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
    // vitest reads the names of used fixtures from the function's text.
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
      // Only after a passed test: one that failed early may have faults that affected nothing.
      if (!expectAllFaultsMet || task.result?.state === "fail") return;
      expectNone((await shared.unmetFaults()).filter(({ fault }) => reset || fault.run === run));
    },
    run: async ({ task }, use) => use(labelOf(task)),
  };
}

/** File, number and name of a test (two may have one name), in characters of a header. */
function labelOf({ id, name, file }: FixtureTask): string {
  const text = `${file.name} ${id.replace(/^\D*\d+_/, "")} ${name}`;
  return text
    .replace(/[^ -~]/g, "?")
    .slice(0, JOURNAL.labelCharacters)
    .trim();
}

/** Requests of a test, as lines of text. */
async function askedOf(shared: SharedEmulator, filter: JournalFilter): Promise<string> {
  try {
    const entries = await shared.requests(filter);
    if (entries.length === 0) return "The emulator received no request.";
    const shown = entries.slice(-JOURNAL.attached);
    const first = shown.length < entries.length ? `, the last ${shown.length} of ${entries.length} requests` : "";
    return [`Requests to the emulator${first}:`, ...shown.map((it) => `  #${it.index} ${describeEntry(it)}`)].join(
      "\n",
    );
  } catch (error) {
    return `The requests to the emulator cannot be read: ${error}`;
  }
}
