import type { MarkType } from "../model/mark";
import type { MarkUrl } from "../model/resource-url";
import { listCommand, NODE_PATH, USER_ARENA } from "../wire/node-command";
import { type Endpoint, parseEndpoint, senderHeaders } from "./endpoint";
import type { HttpRequest } from "./http";
import type { NodeOptions } from "./options";
import { Redactor } from "./redact";

/**
 * Builds the requests to one node, and sends none: address, headers, body, and the redactor for all texts about them.
 * Client, forwarder and probe build theirs here (docs/contract.md#node-endpoint).
 *
 * @example
 * ```ts
 * const requests = new NodeRequests({ endpoint: "https://192.0.2.10:8080" });
 * requests.post(commitCommand(set));                                      // { method: "POST", origin, path, headers, body }
 * requests.listMarks({ kind: "mark", arena: "edge", profile: "web" }, "shost");
 * ```
 */
export class NodeRequests {
  /** The node's base url without `/fapi`. */
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly userArena: string | undefined;

  /**
   * @param options Checked before, see `nodeSchema`.
   * @throws {OptionsError} when the endpoint is no base url.
   */
  constructor({ endpoint, headers = {}, userArena, tls }: NodeOptions) {
    this.endpoint = parseEndpoint(endpoint, "endpoint", NODE_PATH);
    const { authorization, secrets } = this.endpoint;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { [USER_ARENA]: headerArena, ...credentials } = given;
    this.userArena = userArena ?? headerArena;
    this.headers = {
      accept: "application/json",
      ...senderHeaders(authorization),
      ...given,
      "content-type": "application/json",
    };
    // The arena's name is no secret, and stands in every message.
    this.redactor = new Redactor([...Object.values(credentials), authorization, ...secrets, tls?.key]);
  }

  /** The request that carries a command. */
  post(body: string, headers: Readonly<Record<string, string>> = {}): HttpRequest & { readonly body: string } {
    const { origin, path } = this.endpoint;
    return { method: "POST", origin, path: `${path}${NODE_PATH}`, headers: { ...this.headers, ...headers }, body };
  }

  /** @param userArena Value of `User-Arena`; default: the options', else the arena that is asked for. */
  listMarks(url: MarkUrl, type: MarkType, userArena?: string): ReturnType<NodeRequests["post"]> {
    return this.post(listCommand(url, type), this.marksHeaders(url, userArena));
  }

  /** The header that goes with a list of marks (docs/contract.md#marks), which no other command needs. */
  marksHeaders({ arena }: MarkUrl, userArena = this.userArena ?? arena): Record<string, string> {
    // A header carries bytes; names beyond ASCII travel as UTF-8.
    return { [USER_ARENA]: Buffer.from(userArena, "utf8").toString("latin1") };
  }
}
