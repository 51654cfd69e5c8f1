import { USER_ARENA } from "../../wire/node-command";
import { Skipped } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** Whether the node asks who is calling. */
export const credentials = point({
  name: "credentials",
  title: "credentials",
  needs: "lists",
  assumes: "whatever `headers`, the url and `tls` carry is sent; none is needed",
  finds: ["credentialsStatus", "credentialsForm"],
  ask: async (bench) => {
    const { first: url } = bench.targets;
    if (!url) throw new Skipped("no url is named");
    const question = { url, command: "list", body: bench.listBody(url), asked: "list without credentials" } as const;
    const given = Object.keys(bench.node.headers ?? {}).some((name) => name.toLowerCase() !== USER_ARENA);
    const hasOwn = given || new URL(bench.node.endpoint).username !== "";
    const answer = hasOwn ? await bench.askWithout(question) : await bench.ask(question);
    const isWanted = [401, 403, 407].includes(answer.status) || answer.header("www-authenticate") !== undefined;
    if (isWanted && !hasOwn) bench.blocked = "the node wants credentials: give them by PACKETFILTER_HEADERS";
    return { answer, isWanted, hasOwn };
  },
  judge: ({ answer, isWanted, hasOwn }) => {
    if (!isWanted) return { node: hasOwn ? "not looked at: the list is answered without them" : "none are wanted" };
    return {
      node: `wanted: ${answer.header("www-authenticate") ?? "without them the list is refused"}`,
      evidence: [answer.evidence],
      ...(!hasOwn && { advice: "set `headers` of the node, as a secret" }),
    };
  },
  dialect: ({ answer, isWanted }) => (isWanted ? refusalSwitches("credentials", answer) : {}),
});
