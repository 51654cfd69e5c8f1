import type { Answer, Host, Sent } from "../world/network";
import type { VirtualTime } from "../world/time";

/** State of a node's health check. */
export type Health = "pass" | "fail" | "hang";

/** The service that a rollout asks for the health of a node: `GET http://health.example/<node>`. */
export class CommandCheck implements Host {
  readonly reach = "up";

  constructor(
    private readonly healthOf: (node: string) => Health,
    private readonly time: VirtualTime,
  ) {}

  async answer({ target }: Sent): Promise<Answer> {
    const health = this.healthOf(target.slice(1));
    this.time.moved();
    if (health === "hang") return { cut: "silence" };
    return { status: health === "pass" ? 200 : 503, headers: {}, body: Buffer.alloc(0) };
  }
}
