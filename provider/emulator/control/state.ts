import { z } from "zod";
import { type PrefixLike, prefixText } from "../../model/given-entries";
import { Prefix } from "../../model/prefix";
import { formatUrl } from "../../model/resource-url";
import type { Contents } from "../state/contents";
import { type GivenState, stateAsJson } from "../state/given-state";
import { byPrefix } from "../state/holdings";
import { type EmulatorState, stateJsonSchema, stateSchema } from "../state/state";
import { toYaml } from "../state/state-yaml";
import { strictly } from "../validation/strict";
import { entries } from "./answers";
import { name, setChanges, signalChanges, text } from "./arguments";
import { type SetChanges, type SignalChanges, setChangesAsJson, withTexts } from "./given";
import { setOf, UnknownResource } from "./lookup";
import { getter, method, operation } from "./operation";

const activePrefixes = z.record(z.string(), z.array(z.string()));

const signalings = operation("GET /signalings", "Prefixes with active signaling, by client.", {
  answer: z.object({ signalings: activePrefixes, testSignalings: activePrefixes }),
  run: ({ contents: { signaling, testSignaling } }) => ({
    signalings: activeByClient(signaling),
    testSignalings: activeByClient(testSignaling),
  }),
});

/** Operations on the content of the emulator. */
export const state = {
  stateSchema: operation("GET /state.schema.json", "JSON Schema of the state.", {
    answer: z.looseObject({ $schema: z.string() }),
    run: stateJsonSchema,
  }),

  /** Content of the emulator, in the form of the option `state`, without commits that are not yet applied. */
  state: method(
    operation("GET /state", "Content of the emulator, in the form of the state file.", {
      answer: stateSchema,
      outline: z.looseObject({ arenas: z.looseObject({}), signaling: z.looseObject({}) }),
      run: ({ contents }): EmulatorState => contents.export(),
    }),
  ),

  /** Replaces the content of the emulator; keeps journal, faults, dialect and clock. @throws {StateError} */
  seed: method(
    operation("PUT /state", "Replaces the content of the emulator.", {
      input: stateSchema as z.ZodType<EmulatorState>,
      run: (simulation, state) => simulation.seed(state),
    }),
    (state: GivenState) => stateAsJson(state) as EmulatorState,
  ),

  /**
   * Restores the start: initial state and dialect, real time, no faults, an empty journal. Requests that wait end without an
   * effect once their wait is over.
   */
  reset: method(
    operation(
      "POST /reset",
      "Restores the start: initial state and dialect, real time, no faults, an empty journal. Requests that wait end without an effect once their wait is over.",
      { run: (simulation) => simulation.reset() },
    ),
  ),

  /** Entries of a set, applied and after a commit. @throws {UnknownResource} if it does not exist. */
  prefixSet: method(
    operation("GET /prefix-set", "Entries of a set, applied and after a commit.", {
      input: z.strictObject({ url: z.string() }),
      answer: z.object({ applied: entries, staged: entries }),
      run: ({ contents }, { url }) => setOf(contents, url).content(),
    }),
    (url: string) => ({ url: setUrl(url) }),
  ),

  /**
   * Changes the applied entries of a set at once, as an operator at the node's console: without request, commit and journal
   * entry.
   *
   * @throws {UnknownResource} if the set does not exist; {PrefixError} for a wrong prefix.
   */
  change: method(
    operation(
      "POST /prefix-set/change",
      "Changes the applied entries of a set at once, as an operator at the node's console.",
      {
        input: setChanges.extend({ url: z.string() }),
        run: (simulation, { url, insert = {}, delete: removed = [] }) => {
          const set = setOf(simulation.contents, url);
          const changes = byPrefix<number | null>(
            [...Object.entries(insert), ...[...new Set(removed)].map((prefix) => [prefix, null] as const)],
            (prefix) => new TypeError(`change(): ${prefix} is there twice.`),
          );
          set.change(changes);
          simulation.changed("content");
        },
      },
    ),
    (url: string, changes: SetChanges) => ({
      ...strictly(setChanges, setChangesAsJson(changes), "change()"),
      url: setUrl(url),
    }),
  ),

  /** The prefixes with active signaling, by client id. */
  signalings: getter(signalings, ({ signalings }) => signalings),

  /** The prefixes with active signaling of the test deployment, by client id. */
  testSignalings: getter(signalings, ({ testSignalings }) => testSignalings),

  /** Starts and stops signaling of a client without a request. A prefix in the desired state is left unchanged. @throws {UnknownResource} */
  signal: method(
    operation("POST /signalings", "Starts and stops signaling of a client, without a request to the signaling API.", {
      input: signalChanges.extend({ clientId: z.string() }),
      run: ({ contents, dialect: { lease } }, { clientId, start = [], stop = [] }) => {
        const client = contents.signaling.clients.get(clientId) ?? contents.testSignaling.clients.get(clientId);
        if (!client) throw new UnknownResource(`There is no signaling client ${clientId}.`);
        const [toStart, toStop] = [client.read(start), client.read(stop)];
        if ([...toStart, ...toStop].includes(undefined)) {
          throw new UnknownResource(
            `Client ${clientId} may signal ${client.state.prefixes.join(", ")} and longer prefixes only.`,
          );
        }
        const both = toStart.find((prefix) => toStop.includes(prefix));
        if (both !== undefined) throw new TypeError(`signal(): ${both} is to be both started and stopped.`);
        client.stop(toStop, { signalingPartial: "valid-ones" });
        client.start(toStart, { signalingPartial: "valid-ones", signalingOverlap: "accepted", lease });
      },
    }),
    (clientId: string, changes: SignalChanges) => ({
      ...strictly(signalChanges, withTexts(changes), "signal()"),
      clientId,
    }),
  ),

  /** The url of the profile to which an address or prefix is bound: `profile://edge/protected`. */
  boundProfile: method(
    operation("GET /bound-profile", "The profile to which an address or prefix is bound.", {
      input: z.strictObject({ address: z.string() }),
      answer: z.object({ profile: z.string().nullable() }),
      run: ({ contents }, { address }) => {
        const binding = contents.bindings.of(Prefix.parse(address));
        const url = binding && formatUrl({ kind: "profile", arena: binding.arena, profile: binding.profile });
        return { profile: url ?? null };
      },
    }),
    (address: PrefixLike) => ({ address: strictly(text, prefixText(address), "boundProfile()") }),
    ({ profile }) => profile ?? undefined,
  ),

  stateText: operation("GET /state.yaml", "Content of the emulator, as YAML.", {
    type: "application/yaml",
    run: ({ contents }) => toYaml(contents.export()),
  }),

  /** Names of the snapshots, in the order of their first creation. */
  snapshots: getter(
    operation("GET /snapshots", "Names of the snapshots.", {
      answer: z.array(z.string()),
      run: ({ snapshots }): readonly string[] => [...snapshots.keys()],
    }),
  ),

  /** Keeps the present content under a name until the emulator ends. Replaces a snapshot of this name. */
  snapshot: method(
    operation("PUT /snapshots/{name}", "Keeps the present content under a name until the emulator ends.", {
      input: z.strictObject({ name }),
      run: ({ contents, snapshots }, { name }) => void snapshots.set(name, contents.export()),
    }),
    (given: string) => ({ name: strictly(name, given, "snapshot()") }),
  ),

  /** Restores the content of a snapshot, as {@link seed} does. @throws {UnknownResource} if it does not exist. */
  restore: method(
    operation("POST /snapshots/{name}/restore", "Restores the content of a snapshot.", {
      input: z.strictObject({ name }),
      run: (simulation, { name }) => {
        const kept = simulation.snapshots.get(name);
        if (!kept) throw noSnapshot(name, simulation.snapshots);
        simulation.seed(kept);
      },
    }),
    (given: string) => ({ name: strictly(name, given, "restore()") }),
  ),

  /** Deletes a snapshot. @throws {UnknownResource} if it does not exist. */
  deleteSnapshot: method(
    operation("DELETE /snapshots/{name}", "Deletes a snapshot.", {
      input: z.strictObject({ name }),
      run: ({ snapshots }, { name }) => {
        if (!snapshots.delete(name)) throw noSnapshot(name, snapshots);
      },
    }),
    (given: string) => ({ name: strictly(name, given, "deleteSnapshot()") }),
  ),
};

const setUrl = (url: string) => strictly(text, url, "The url of a prefix-set");

function activeByClient({ clients }: Contents["signaling"]): Record<string, string[]> {
  return Object.fromEntries([...clients].map(([id, client]) => [id, client.active()]));
}

function noSnapshot(name: string, snapshots: ReadonlyMap<string, EmulatorState>): UnknownResource {
  const names = [...snapshots.keys()].map((it) => JSON.stringify(it)).join(", ");
  return new UnknownResource(`There is no snapshot ${JSON.stringify(name)}; there are ${names || "none"}.`);
}
