import { messageOf } from "../../model/errors";
import type { Api, Incoming, Interpretation } from "../http/api";
import type { Recorder, Recording } from "./recording";
import type { Upstream } from "./upstream";

/** An API whose requests are understood as the emulator does, for journal and faults, and answered by another node, or from a recording. */
abstract class AnsweredElsewhere implements Api {
  constructor(private readonly own: Api) {}

  interpret(request: Incoming): Interpretation {
    const understood = this.own.interpret(request);
    return { ...understood, run: this.run(request, understood) };
  }

  protected abstract run(request: Incoming, understood: Interpretation): Interpretation["run"];
}

/** Passes every request on, valid or not, and keeps the answers where a recorder is given. */
export class ProxyApi extends AnsweredElsewhere {
  constructor(
    own: Api,
    private readonly upstream: Upstream,
    private readonly recorder: Recorder | undefined,
  ) {
    super(own);
  }

  protected override run(request: Incoming, { error }: Interpretation): Interpretation["run"] {
    return async () => {
      let reply: Awaited<ReturnType<Upstream["send"]>>;
      try {
        reply = await this.upstream.send(request);
      } catch (cause) {
        return error(502, `what stands behind the emulator gave no answer: ${messageOf(cause)}`);
      }
      await this.recorder?.add(request, reply);
      return reply;
    };
  }
}

/** Answers as it was recorded. */
export class ReplayApi extends AnsweredElsewhere {
  /** @param unseen Who answers what was never recorded: the emulator by its own rules, or none. */
  constructor(
    own: Api,
    private readonly recording: Recording,
    private readonly unseen: "emulate" | "refuse",
  ) {
    super(own);
  }

  protected override run(request: Incoming, { run, error, summary }: Interpretation): Interpretation["run"] {
    return (variation, committed) => {
      const recorded = this.recording.next(request);
      if (recorded) return recorded;
      if (this.unseen === "emulate") return run(variation, committed);
      const what = [summary.cmd ?? summary.op, summary.url ?? summary.client, summary.type].filter(Boolean).join(" ");
      return error(
        501,
        `not recorded: ${what || request.method}. Record it, or let the emulator answer what it does not know`,
      );
    };
  }
}
