import { z } from "zod";
import { stackRule } from "../rule";

/** An exception that has ended hides nothing, but looks as if it did. */
export const expiredExceptions = stackRule({
  name: "expired-exceptions",
  level: "advisory",
  description: "The configuration lists no exceptions that have ended.",
  needs: [],
  configure: ["exceptions"],
  exceptionsBy: [],
  config: z.strictObject({}),
  example: {
    config: {
      exceptions: [{ rule: "prefix-length", prefix: "192.0.2.0/24", until: "2026-01-31", reason: "INC-4711" }],
    },
    resources: [],
  },

  *judge(_stack, { meaning, now }) {
    for (const exception of meaning.exceptions) {
      if (now <= exception.until.moment) continue;
      const scope = [exception.set, exception.prefix?.toString()].filter((text) => text !== undefined).join(", ");
      yield {
        problem: `the exception from ${exception.rule} for ${scope} ended ${exception.until.text} (${exception.reason})`,
        remedy: "Renew it or remove it.",
      };
    }
  },
});
