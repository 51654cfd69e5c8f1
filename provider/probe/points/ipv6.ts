import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** IPv6 entries in a set. */
export const ipv6 = point({
  name: "ipv6",
  title: "IPv6 in a set",
  needs: "set",
  assumes: "accepted; where it is refused, the entries are named",
  finds: ["ipv6"],
  ask: async ({ set, learned }) => {
    const answer = await set.insert([["2001:db8:77::/48", 1]], "insert of IPv6");
    learned.ipv6 = answer.isRefusal ? "error" : "accepted";
    return answer;
  },
  judge: (answer) => ({
    node: answer.isRefusal ? "refused" : "accepted",
    evidence: [answer.evidence],
    ...(answer.isRefusal && { advice: "declare IPv4 only" }),
  }),
  dialect: (answer) => ({
    ipv6: answer.isRefusal ? "error" : "accepted",
    ...(answer.isRefusal && refusalSwitches("refusedEntry", answer)),
  }),
});
