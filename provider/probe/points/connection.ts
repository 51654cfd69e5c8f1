import { withoutEnding } from "../../model/resource-url";
import { listCommand, NODE_PATH, USER_ARENA } from "../../wire/node-command";
import { refusalSwitches, switchesOf } from "../asking/answer";
import { elementsIn } from "../asking/listing";
import { readerOf } from "../asking/needed";
import { type Point, pointNeeding } from "../point";

const point = pointNeeding("lists");

/** Redirects and credentials. */
export const connection: readonly Point[] = [
  point({
    name: "redirect",
    title: "redirects",
    assumes: "307 and 308 are followed within one origin, all others fail",
    finds: ["redirect"],
    settles: ["endpoint"],
    ask: async (bench) => {
      const answer = await bench.list(bench.first, { follows: false });
      const location = answer.status >= 300 && answer.status < 400 ? answer.header("location") : undefined;
      if (location === undefined) return () => ({ node: "none", dialect: { redirect: "none" } });
      const target = new URL(location, `${bench.endpoint}${NODE_PATH}`);
      const isElsewhere = target.origin !== new URL(bench.endpoint).origin;
      const endpoint = withoutEnding(`${target.origin}${target.pathname}`, "/").replace(/\/fapi$/, "");
      const isFollowed = !isElsewhere && (answer.status === 307 || answer.status === 308);
      // Credentials go only to the origin that they were given for.
      if (isElsewhere) bench.blocked = `the node redirects to another origin: probe ${endpoint}`;
      else if (!isFollowed) bench.move(endpoint);
      const redirect = [301, 302, 307, 308].includes(answer.status) ? String(answer.status) : "302";
      return () => ({
        node: `${answer.status} to ${endpoint}`,
        evidence: [answer],
        ...(isFollowed ? { advice: "followed" } : { settings: { endpoint } }),
        dialect: { redirect: isElsewhere ? "307-elsewhere" : redirect },
      });
    },
  }),
  point({
    name: "credentials",
    title: "credentials",
    assumes: "whatever `headers`, the url and `tls` carry is sent; none is needed",
    finds: switchesOf("credentials"),
    ask: async (bench) => {
      const { first: url } = bench;
      const question = { url, command: "list", body: listCommand(url), asked: "list without credentials" } as const;
      const given = Object.keys(bench.node.headers ?? {}).some((name) => name.toLowerCase() !== USER_ARENA);
      const hasOwn = given || new URL(bench.node.endpoint).username !== "";
      const answer = hasOwn ? await bench.askWithout(question) : await bench.ask(question);
      const isWanted = [401, 403, 407].includes(answer.status) || answer.header("www-authenticate") !== undefined;
      if (isWanted && !hasOwn) bench.blocked = "the node wants credentials: give them by PACKETFILTER_HEADERS";
      return () => {
        if (isWanted)
          return {
            node: `wanted: ${answer.header("www-authenticate") ?? "without them the list is refused"}`,
            evidence: [answer],
            ...(!hasOwn && { advice: "set `headers` of the node, as a secret" }),
            dialect: refusalSwitches("credentials", answer),
          };
        const isListed = (elementsIn(answer, url, readerOf(url), bench.learned.answers)?.length ?? 0) > 0;
        if (isListed) return { node: hasOwn ? "ignored: the list is answered without them" : "none are required" };
        const node = answer.isRefusal
          ? "an error that may be about credentials"
          : "a list that holds nothing shows nothing";
        return { found: "assumed", node, evidence: [answer] };
      };
    },
  }),
];
