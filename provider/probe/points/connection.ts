import { withoutEnding } from "../../model/resource-url";
import { listCommand, NODE_PATH, USER_ARENA } from "../../wire/node-command";
import { refusalSwitches, switchesOf } from "../asking/answer";
import { elementsIn } from "../asking/listing";
import { MEASURED, measured, type Point, pointNeeding } from "../point";

const point = pointNeeding("lists");

/** Redirects and credentials. */
export const connection: readonly Point[] = [
  point({
    name: "redirect",
    title: "redirects",
    assumes: "307 and 308 are followed within one origin, all others fail",
    outcomes: {
      none: { as: "contract", node: "none", dialect: { redirect: "none" } },
      followed: {
        as: "dialect",
        node: "followed within one origin",
        advice: "followed",
        dialect: { redirect: MEASURED },
      },
      moved: {
        as: "setting",
        node: "to another address",
        settings: { endpoint: MEASURED },
        dialect: { redirect: MEASURED },
      },
    },
    ask: async (bench) => {
      const answer = await bench.list(bench.first, { follows: false });
      const { status } = answer;
      const location = status >= 300 && status < 400 ? answer.header("location") : undefined;
      if (location === undefined) return { is: "none" };
      const target = new URL(location, `${bench.endpoint}${NODE_PATH}`);
      const isElsewhere = target.origin !== new URL(bench.endpoint).origin;
      const endpoint = withoutEnding(`${target.origin}${target.pathname}`, "/").replace(/\/fapi$/, "");
      const isFollowed = !isElsewhere && (status === 307 || status === 308);
      // Credentials go only to the origin that they were given for.
      if (isElsewhere) bench.blocked = `the node redirects to another origin: probe ${endpoint}`;
      else if (!isFollowed) bench.move(endpoint);
      const redirect = isElsewhere ? "307-elsewhere" : [301, 302, 307, 308].includes(status) ? String(status) : "302";
      const seen = { node: `${status} to ${endpoint}`, evidence: [answer], dialect: { redirect } };
      return isFollowed ? { is: "followed", ...seen } : { is: "moved", ...seen, settings: { endpoint } };
    },
  }),
  point({
    name: "credentials",
    title: "credentials",
    assumes: "whatever `headers`, the url and `tls` carry is sent; none is needed",
    outcomes: {
      required: { as: "dialect", node: "required", dialect: measured(switchesOf("credentials")) },
      none: { as: "contract", node: "none are required" },
      ignored: { as: "contract", node: "ignored: the list is answered without them" },
      error: { as: "unknown", node: "an error that may be about credentials" },
      empty: { as: "unknown", node: "a list that holds nothing shows nothing" },
    },
    ask: async (bench) => {
      const { first: url } = bench;
      const question = { url, command: "list", body: listCommand(url), asked: "list without credentials" } as const;
      const given = Object.keys(bench.node.headers ?? {}).some((name) => name.toLowerCase() !== USER_ARENA);
      const hasOwn = given || new URL(bench.node.endpoint).username !== "";
      const answer = hasOwn ? await bench.askWithout(question) : await bench.ask(question);
      const scheme = answer.header("www-authenticate");
      const isWanted = [401, 403, 407].includes(answer.status) || scheme !== undefined;
      if (isWanted && !hasOwn) bench.blocked = "the node wants credentials: give them by PACKETFILTER_HEADERS";
      const evidence = [answer];
      return () => {
        if (isWanted)
          return {
            is: "required",
            node: `wanted: ${scheme ?? "without them the list is refused"}`,
            evidence,
            ...(!hasOwn && { advice: "set `headers` of the node, as a secret" }),
            dialect: refusalSwitches("credentials", answer),
          };
        const isListed = (elementsIn({ answer, url }, bench.learned.answers)?.length ?? 0) > 0;
        if (isListed) return { is: hasOwn ? "ignored" : "none" };
        return { is: answer.isRefusal ? "error" : "empty", evidence };
      };
    },
  }),
];
