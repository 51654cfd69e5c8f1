import { formatUrl, NodeClient, type NodeOptions, type Prefix, type PrefixSetUrl, parseUrl } from "../../client";
import { parseNodeEndpoint } from "../../client/endpoint";
import { messageOf } from "../../model/errors";
import { prefixIn } from "../../model/readable";
import { type Report, type SetReport, withCoverage } from "../../report";
import type { Settings, Target } from "../../settings/settings";
import { type CliIo, progress } from "../cli-io";

/**
 * Adds to a report how many currently marked sources each change covers. Each node at which a set changes is asked for the
 * sources (`shost`) of the profile of a local set, or of all profiles of the arena. Each table is listed once, at the pace of
 * the client. If a node does not answer, its sets say so.
 *
 * @param settings Nodes and their credentials, which go only to the address that they are configured for.
 */
export async function askMarks(report: Report, settings: Settings, io: CliIo): Promise<Report> {
  const nodes = new Map<string, MarkedNode>();
  const node = (set: SetReport, endpoint: string) => {
    const marked = nodes.get(endpoint) ?? new MarkedNode(optionsFor(set, endpoint, settings), io);
    nodes.set(endpoint, marked);
    return marked;
  };
  const asked = async (set: SetReport): Promise<SetReport> => {
    if (set.in.count + set.out.count + set.changed.count === 0) return set;
    const { endpoint } = set;
    if (endpoint === undefined)
      return { ...set, marks: { unasked: "The address of the node is not known: nothing was asked." } };
    try {
      const url = parseUrl(set.url);
      if (url.kind !== "prefixset") throw new TypeError(`${set.url} is not a set.`);
      return withCoverage(set, await node(set, endpoint).sources(url));
    } catch (error) {
      return { ...set, marks: { unasked: messageOf(error) } };
    }
  };
  try {
    return { ...report, sets: await Promise.all(report.sets.map(asked)) };
  } finally {
    await Promise.all([...nodes.values()].map((one) => one.close()));
  }
}

/** One node, each of whose tables is listed once. */
class MarkedNode {
  private readonly client: NodeClient;
  private readonly lists = new Map<string, Promise<unknown>>();

  constructor(
    options: NodeOptions,
    private readonly io: CliIo,
  ) {
    this.client = new NodeClient(options);
  }

  /** The addresses that are marked now, each once. */
  async sources({ arena, profile }: PrefixSetUrl): Promise<Prefix[]> {
    const options = { signal: this.io.stop };
    const list = () => this.client.listProfiles(arena, options);
    const profiles =
      profile === undefined ? await this.once(formatUrl({ kind: "arena", arena }), list) : [{ name: profile }];
    const tables = profiles.map(({ name }) => {
      const table = formatUrl({ kind: "profile", arena, profile: name });
      return this.once(table, () => {
        progress(this.io, `listing the marked sources of ${table} on ${this.client.endpoint}`);
        return this.client.listMarks(arena, name, "shost", options);
      });
    });
    const sources = new Map<string, Prefix>();
    for (const { address, status } of (await Promise.all(tables)).flat()) {
      const source = status?.toLowerCase() === "expired" ? undefined : prefixIn(address);
      if (source) sources.set(source.toString(), source);
    }
    return [...sources.values()];
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private once<T>(what: string, ask: () => Promise<T>): Promise<T> {
    const asked = (this.lists.get(what) as Promise<T> | undefined) ?? ask();
    this.lists.set(what, asked);
    return asked;
  }
}

/** Settings for the address, by the node's name if two have the same address; else the address without credentials. */
function optionsFor({ node }: SetReport, endpoint: string, settings: Settings): NodeOptions {
  const here = settings
    .knownNodes()
    .filter(({ options }: Target<NodeOptions>) => parseNodeEndpoint(options.endpoint).shown === endpoint);
  const options: NodeOptions = (here.find(({ name }) => name === node) ?? here[0])?.options ?? { endpoint };
  if (options.answers?.read !== undefined)
    throw new Error(
      "The configuration reads the answers of this node by a module (answers.read). A report runs no code that a change may have brought: nothing was asked.",
    );
  return options;
}
