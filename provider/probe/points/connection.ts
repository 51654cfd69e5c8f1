import { type ResourceUrl, withoutEnding } from "../../model/resource-url";
import { listCommand, NODE_PATH, USER_ARENA } from "../../wire/node-command";
import { type Answer, refusalSwitches } from "../asking/answer";
import { elementsIn } from "../asking/listing";
import { type Point, pointsNeeding } from "../point";

const GIVE_THEM = "give them by PACKETFILTER_HEADERS";

export const connection: readonly Point[] = pointsNeeding("lists")(
  {
    name: "redirect",
    title: "redirects",
    assumes: "307 and 308 are followed within one origin, all others fail",
    settles: ["endpoint"],
    ask: async (bench) => {
      const answer = await bench.list(bench.first, { follows: false });
      const { status } = answer;
      const location = status >= 300 && status < 400 ? answer.header("location") : undefined;
      if (location === undefined) return { is: "none", as: "contract", node: "none", dialect: { redirect: "none" } };
      const target = new URL(location, `${bench.endpoint}${NODE_PATH}`);
      const isElsewhere = target.origin !== new URL(bench.endpoint).origin;
      const endpoint = withoutEnding(`${target.origin}${target.pathname}`, "/").replace(/\/fapi$/, "");
      const isFollowed = !isElsewhere && (status === 307 || status === 308);
      // Credentials go only to the origin that they were given for.
      if (isElsewhere) bench.blocked = `the node redirects to another origin: probe ${endpoint}`;
      else if (!isFollowed) bench.move(endpoint);
      const redirect = [301, 302, 307, 308].includes(status) ? String(status) : "302";
      const evidence = [answer];
      const common = { node: `${status} to ${endpoint}`, evidence, dialect: { redirect } };
      return () => {
        // A redirect may lead to a login: only a list shows that the node is there.
        const isThere = [...bench.exchanges.values()].some(
          (one) => one.command === "list" && elementsIn<ResourceUrl>(one, bench.learned.answers) !== undefined,
        );
        if (!isThere) return { is: "unread", as: "unknown", node: `${common.node}, where no list was read`, evidence };
        if (isFollowed) return { is: "followed", as: "dialect", ...common, advice: "followed" };
        return { is: "moved", as: "setting", ...common, settings: { endpoint } };
      };
    },
  },
  {
    name: "credentials",
    title: "credentials",
    assumes: "whatever `headers`, the url and `tls` carry is sent; none is needed",
    ask: async (bench) => {
      const { first: url } = bench;
      const question = { url, command: "list", body: listCommand(url), asked: "list without credentials" } as const;
      const given = Object.keys(bench.node.headers ?? {}).some((name) => name.toLowerCase() !== USER_ARENA);
      const hasOwn = given || new URL(bench.node.endpoint).username !== "";
      const answer = hasOwn ? await bench.askWithout(question) : await bench.ask(question);
      const scheme = answer.header("www-authenticate");
      const plain = hasOwn ? await bench.ask(question) : undefined;
      const isSaid = [401, 407].includes(answer.status) || scheme !== undefined;
      if (isSaid && !hasOwn) bench.blocked = `the node wants credentials: ${GIVE_THEM}`;
      const evidence = [answer];
      return () => {
        const read = (one: Answer) => elementsIn({ answer: one, url }, bench.learned.answers);
        if (isSaid || (plain && read(plain) && answer.isRefusal)) {
          const node = `wanted: ${scheme ?? "without them the list is refused"}`;
          const advice = hasOwn ? undefined : "set `headers` of the node, as a secret";
          const dialect = refusalSwitches("credentials", answer);
          return { is: "required", as: "dialect", node, evidence, advice, dialect };
        }
        const isListed = (read(answer)?.length ?? 0) > 0;
        if (isListed && hasOwn)
          return { is: "ignored", as: "contract", node: "ignored: the list is answered without them" };
        if (isListed) return { is: "none", as: "contract", node: "none are required" };
        if (answer.isRefusal) {
          const advice = answer.status === 403 && !hasOwn ? `if it wants credentials, ${GIVE_THEM}` : undefined;
          return { is: "error", as: "unknown", node: "an error that may be about credentials", evidence, advice };
        }
        return { is: "empty", as: "unknown", node: "a list that holds nothing shows nothing", evidence };
      };
    },
  },
);
