import { encode } from "../../../provider/emulator/http/reply";
import type { ProtocolPort } from "../../../provider/emulator/serving/protocol-port";
import type { Answer, Sent } from "./network";

/**
 * Answers a request of this process without a socket: through the faults, APIs and journal of a port. Latency and bandwidth of
 * the line are those of the caller.
 */
export async function answered(port: ProtocolPort, { method, target, headers, body }: Sent): Promise<Answer> {
  let outcome: Answer = { cut: "silence" };
  await port.serve({
    head: { method, url: target, headers },
    isBroken: false,
    body: async (limit) => (body.length > limit ? "too-large" : body),
    answer: async (reply, { measured, passing }) => {
      const { status, type, headers: more } = reply;
      const whole = encode(reply);
      passing?.(whole);
      measured?.(whole.length);
      outcome = { status, headers: { ...(type && { "content-type": type }), ...more }, body: whole };
    },
    cut: (one) => {
      outcome = one.cut === "truncate" ? { ...one, status: one.reply.status, body: encode(one.reply) } : one;
    },
    abandon: () => {},
    whenClosed: () => {},
  });
  return outcome;
}
