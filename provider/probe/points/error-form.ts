import { formatUrl } from "../../model/resource-url";
import { point } from "../point";

/** How the node says no to what it cannot carry out at all. */
export const errorForm = point({
  name: "error-form",
  title: "a command that does not exist",
  needs: "set",
  assumes: "an error, by status or by what the body says",
  finds: ["errorForm"],
  ask: (bench) => {
    const { set } = bench;
    const body = JSON.stringify({ url: formatUrl(set.url), cmd: "probe" });
    return bench.ask({ url: set.url, command: "list", body, asked: "cmd probe" });
  },
  judge: (answer) => ({
    node: answer.isRefusal ? `an error with status ${answer.status}` : "no error",
    evidence: [answer.evidence],
  }),
  dialect: (answer) => (answer.isRefusal ? { errorForm: answer.errorForm } : {}),
});
