import { USER_ARENA } from "../../wire/node-command";
import { Skipped } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** No arena is called so. */
const WRONG = "pulumi-packetfilter-probe";

/** What the node does with the header `User-Arena` of a list of marks. */
export const userArena = point({
  name: "user-arena",
  title: "the header User-Arena",
  needs: "lists",
  assumes: "the arena of the url; `userArena` says otherwise",
  finds: ["userArena", "userArenaStatus", "userArenaForm"],
  ask: async (bench) => {
    const table = await bench.tables.shortest();
    if (!table) throw new Skipped("no list of marks was answered");
    const { url, type } = table;
    const none = await bench.list(url, { table: type, headers: {}, asked: "list of marks without User-Arena" });
    const headers = { [USER_ARENA]: WRONG };
    const wrong = await bench.list(url, { table: type, headers, asked: `list of marks with User-Arena: ${WRONG}` });
    return { none, wrong };
  },
  judge: ({ none, wrong }) => ({
    node: wrong.isRefusal ? "must be the arena" : none.isRefusal ? "must be there, with any value" : "not looked at",
    evidence: [none.evidence, wrong.evidence],
  }),
  dialect: ({ none, wrong }) => ({
    userArena: wrong.isRefusal ? "required" : none.isRefusal ? "present" : "ignored",
    ...(none.isRefusal && refusalSwitches("userArena", none)),
  }),
});
