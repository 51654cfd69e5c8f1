import { z } from "zod";
import { json } from "../http/reply";
import { type EmulatorState, stateSchema } from "../state/state";
import { toYaml } from "../state/state-file";
import { setChanges, signalChanges } from "../validation/arguments";
import { done, entries, ok } from "./answers";
import { asItIs, nothing } from "./client-call";
import { type ControlRoute, route } from "./route";

/** What the emulator holds: whole, set by set, and by name in snapshots. */
export const stateRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/state",
    summary: "Everything that the emulator holds, in the form that it starts from.",
    answer: stateSchema,
    calls: { state: { result: (state) => state as EmulatorState } },
    run: ({ emulator }) => json(200, emulator.state()),
  }),
  route({
    method: "PUT",
    path: "/state",
    summary: "Replaces everything that the emulator holds.",
    body: stateSchema,
    answer: done,
    calls: { seed: { request: (state) => ({ body: state }), result: nothing } },
    run: ({ emulator, body }) => {
      emulator.seed(body as EmulatorState);
      return ok();
    },
  }),
  route({
    method: "POST",
    path: "/reset",
    summary: "Back to the start: first state and dialect, real time, no faults, an empty journal.",
    answer: done,
    calls: { reset: { result: nothing } },
    run: ({ emulator }) => {
      emulator.reset();
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/prefix-set",
    summary: "What a set holds, and what a commit would make of it.",
    query: z.strictObject({ url: z.string() }),
    answer: z.object({ applied: entries, staged: entries }),
    calls: { prefixSet: { request: (url) => ({ query: { url } }), result: asItIs } },
    run: ({ emulator, query }) => json(200, emulator.prefixSet(query.url)),
  }),
  route({
    method: "POST",
    path: "/prefix-set/change",
    summary: "Changes the applied entries of a set at once, as somebody at the node's console would.",
    body: setChanges.extend({ url: z.string() }),
    answer: done,
    calls: { change: { request: (url, changes) => ({ body: { ...changes, url } }), result: nothing } },
    run: ({ emulator, body: { url, ...changes } }) => {
      emulator.change(url, changes);
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/signalings",
    summary: "Prefixes with active signaling, by client.",
    answer: z.object({
      signalings: z.record(z.string(), z.array(z.string())),
      testSignalings: z.record(z.string(), z.array(z.string())),
    }),
    reads: {
      signalings: { result: ({ signalings }) => signalings },
      testSignalings: { result: ({ testSignalings }) => testSignalings },
    },
    run: ({ emulator }) => json(200, { signalings: emulator.signalings, testSignalings: emulator.testSignalings }),
  }),
  route({
    method: "POST",
    path: "/signalings",
    summary: "Starts and stops signaling of a client without a request to the signaling API.",
    body: signalChanges.extend({ clientId: z.string() }),
    answer: done,
    calls: { signal: { request: (clientId, changes) => ({ body: { ...changes, clientId } }), result: nothing } },
    run: ({ emulator, body: { clientId, ...changes } }) => {
      emulator.signal(clientId, changes);
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/bound-profile",
    summary: "The profile that an address is bound to.",
    query: z.strictObject({ address: z.string() }),
    answer: z.object({ profile: z.string().nullable() }),
    calls: {
      boundProfile: { request: (address) => ({ query: { address } }), result: ({ profile }) => profile ?? undefined },
    },
    run: ({ emulator, query }) => json(200, { profile: emulator.boundProfile(query.address) ?? null }),
  }),
  route({
    method: "GET",
    path: "/state.yaml",
    summary: "The same as YAML.",
    answerType: "application/yaml",
    run: async ({ emulator }) => ({ status: 200, type: "application/yaml", body: await toYaml(emulator.state()) }),
  }),
  route({
    method: "GET",
    path: "/snapshots",
    summary: "Names of the snapshots that were taken.",
    answer: z.array(z.string()),
    reads: { snapshots: { result: asItIs } },
    run: ({ emulator }) => json(200, emulator.snapshots),
  }),
  route({
    method: "PUT",
    path: "/snapshots/{name}",
    summary: "Keeps what the emulator holds now under a name, until it ends.",
    answer: done,
    calls: { snapshot: { request: (name) => ({ path: { name } }), result: nothing } },
    run: ({ emulator, path }) => {
      emulator.snapshot(path.name ?? "");
      return ok();
    },
  }),
  route({
    method: "POST",
    path: "/snapshots/{name}/restore",
    summary: "Puts back what was kept.",
    answer: done,
    calls: { restore: { request: (name) => ({ path: { name } }), result: nothing } },
    run: ({ emulator, path }) => {
      emulator.restore(path.name ?? "");
      return ok();
    },
  }),
  route({
    method: "DELETE",
    path: "/snapshots/{name}",
    summary: "Forgets a snapshot.",
    answer: done,
    calls: { deleteSnapshot: { request: (name) => ({ path: { name } }), result: nothing } },
    run: ({ emulator, path }) => {
      emulator.deleteSnapshot(path.name ?? "");
      return ok();
    },
  }),
];
