import { messageOf } from "../../model/errors";
import { fromPage } from "../http/foreign-page";
import { json } from "../http/reply";
import type { EmulatorOptions } from "../options";
import type { Api, Head, Incoming, Interpretation } from "../serving/api";
import type { Simulation } from "../simulation";
import { type RecordedApi, Recorder, Recording } from "./recording";
import { Upstream } from "./upstream";

/** Name of the server in messages. */
const PASSED_ON = "the server behind --proxy";

/** Answers a request that the emulator reads for journal and faults without carrying it out. */
type Answering = (request: Incoming, understood: Interpretation) => Interpretation["run"];

/** Source of answers in place of an API of the emulator: a real node or receiver, or a recording of one. */
export class Backends {
  private constructor(
    private readonly answering: ReadonlyMap<RecordedApi, Answering>,
    private readonly recorder: Recorder | undefined,
    /** APIs whose requests, credentials included, are passed on to a real machine. */
    private readonly passing: ReadonlyMap<RecordedApi, Upstream>,
    private readonly advertise: string | undefined,
  ) {}

  /** @throws {TypeError} if the recording cannot be read or begun. */
  static async open(options: EmulatorOptions, simulation: Simulation): Promise<Backends> {
    const { waits, onReset } = simulation;
    const { proxy, proxySignaling, record, replay, unseen = "refuse" } = options;
    const upstreams = new Map<RecordedApi, Upstream>();
    if (proxy !== undefined) upstreams.set("node", new Upstream(new URL(proxy), "", waits.signal));
    if (proxySignaling !== undefined) {
      upstreams.set("signaling", new Upstream(new URL(proxySignaling), "/path", waits.signal));
    }
    const recorder = record === undefined ? undefined : await Recorder.begin(record, [...upstreams.keys()]);
    const recording = replay === undefined ? undefined : await Recording.read(replay);
    const answering = new Map<RecordedApi, Answering>();
    if (recording) {
      onReset(() => recording.restart());
      simulation.sources = { ...simulation.sources, replayed: recording.apis };
      for (const api of recording.apis) answering.set(api, replayed(recording, unseen));
    }
    for (const [api, upstream] of upstreams) answering.set(api, passedOn(upstream, recorder));
    return new Backends(answering, recorder, upstreams, options.advertise);
  }

  /** The API, or its replacement. */
  behind(name: RecordedApi, api: Api): Api {
    const answer = this.answering.get(name);
    if (!answer) return api;
    const upstream = this.passing.get(name);
    const refused = (request: Head) => {
      if (upstream === undefined) return undefined;
      if (!upstream.reaches(request.url ?? "")) return json(403, { error: `the path leaves that of ${PASSED_ON}` });
      return fromPage(request, PASSED_ON, { advertised: this.advertise });
    };
    return {
      admit: (request) => refused(request) ?? api.admit?.(request),
      interpret: (request) => {
        const understood = api.interpret(request);
        return { ...understood, run: answer(request, understood) };
      },
    };
  }

  /** Ends a recording. */
  async close(): Promise<void> {
    await this.recorder?.end();
  }
}

/** Passes on every request, valid or not, and records the answers if a recorder is given. */
function passedOn(upstream: Upstream, recorder: Recorder | undefined): Answering {
  return (request, { error }) =>
    async () => {
      let reply: Awaited<ReturnType<Upstream["send"]>>;
      try {
        reply = await upstream.send(request);
      } catch (cause) {
        return error(502, `the server behind the emulator did not answer: ${messageOf(cause)}`);
      }
      await recorder?.add(request, reply);
      return reply;
    };
}

/** Answers as recorded. An unrecorded request is answered by the emulator or refused. */
function replayed(recording: Recording, unseen: "emulate" | "refuse"): Answering {
  return (request, { run, error, summary }) =>
    (variation, committed) => {
      const recorded = recording.next(request);
      if (recorded) return recorded;
      if (unseen === "emulate") return run(variation, committed);
      const what = [summary.cmd ?? summary.op, summary.url ?? summary.client, summary.type].filter(Boolean).join(" ");
      return error(
        501,
        `not recorded: ${what || request.method}. Record it, or let the emulator answer unrecorded requests`,
      );
    };
}
