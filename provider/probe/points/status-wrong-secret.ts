import { isRecord } from "../../wire/shape";
import { refusalIn } from "../../wire/signaling";
import { point } from "../point";

/** What `status` answers to a wrong secret. */
export const statusWrongSecret = point({
  name: "status-wrong-secret",
  title: "signaling: status with a wrong secret",
  needs: "receiver",
  assumes: "its error text, 401, 403 and 404; an empty list looks like a quiet receiver",
  finds: ["statusWrongSecret"],
  ask: async (bench) => {
    const { wrongStatus } = await bench.trial();
    const isEmpty = wrongStatus.status < 300 && isRecord(wrongStatus.json) && "IP_prefix" in wrongStatus.json;
    const isTold = refusalIn(wrongStatus.body) !== undefined;
    const does = isEmpty ? "empty" : wrongStatus.status === 404 && !isTold ? "not-found" : "error";
    return { wrongStatus, does } as const;
  },
  judge: ({ wrongStatus, does }) => ({
    node: { empty: "an empty list", "not-found": "404", error: "an error" }[does],
    evidence: [wrongStatus.evidence],
    ...(does === "empty" && { advice: "a wrong secret is noticed at the first start only" }),
  }),
  dialect: ({ does }) => ({ statusWrongSecret: does }),
});
