import type { Api } from "../http/api";
import { ProxyApi, ReplayApi } from "./apis";
import { type RecordedApi, Recorder, Recording } from "./recording";
import { Upstream } from "./upstream";

/** Who answers in place of the emulator; see `EmulatorOptions`. */
export interface ElsewhereOptions {
  readonly proxy?: string;
  readonly proxySignaling?: string;
  readonly record?: string;
  readonly replay?: string;
  readonly unseen?: "refuse" | "emulate";
}

/** What it asks of the emulator. */
export interface ElsewhereSubject {
  readonly waits: { readonly signal: AbortSignal };
  /** Calls back after each reset. */
  onReset(listener: () => void): void;
}

/** Puts a real node, or a recording of one, in the place of an API of the emulator. */
export class Elsewhere {
  private constructor(
    private readonly upstreams: Partial<Record<RecordedApi, Upstream>>,
    private readonly recorder: Recorder | undefined,
    private readonly recording: Recording | undefined,
    private readonly unseen: "refuse" | "emulate",
  ) {}

  /** @throws {RecordingError} when the recording cannot be read or begun. */
  static async open(options: ElsewhereOptions, { waits, onReset }: ElsewhereSubject): Promise<Elsewhere> {
    const { proxy, proxySignaling, record, replay, unseen = "refuse" } = options;
    const { signal } = waits;
    const upstreams = {
      ...(proxy !== undefined && { node: new Upstream(new URL(proxy), "", signal) }),
      ...(proxySignaling !== undefined && { signaling: new Upstream(new URL(proxySignaling), "/path", signal) }),
    };
    const apis: RecordedApi[] = [
      ...(proxy ? (["node"] as const) : []),
      ...(proxySignaling ? (["signaling"] as const) : []),
    ];
    const recorder = record === undefined ? undefined : await Recorder.begin(record, apis);
    const recording = replay === undefined ? undefined : await Recording.read(replay);
    if (recording) onReset(() => recording.restart());
    return new Elsewhere(upstreams, recorder, recording, unseen);
  }

  /** The API as it is, or one that is answered elsewhere. */
  wrap(name: RecordedApi, own: Api): Api {
    const upstream = this.upstreams[name];
    if (upstream) return new ProxyApi(own, upstream, this.recorder);
    return this.recording?.apis.includes(name) ? new ReplayApi(own, this.recording, this.unseen) : own;
  }

  /** Ends a recording. */
  async close(): Promise<void> {
    await this.recorder?.end();
  }
}
