import { DEFAULTS, type NodeOptions } from "../../client";
import { parseEndpoint } from "../../client/endpoint";
import { Redactor } from "../../client/redact";
import { errorText } from "../../wire/node-answer";
import { listCommand, NODE_PATH, USER_ARENA } from "../../wire/node-command";
import { ShapeError } from "../../wire/shape";
import { HttpConnection, NoAnswer } from "../http";
import { ListRefused } from "../reading/list-refused";
import type { SharedTurns } from "../slices";
import type { TableName } from "../table";
import type { ForwarderWorld } from "../world";

/** A list of marks that did not come. The message is a sentence without secrets. */
export class ListFailure extends Error {
  override readonly name = "ListFailure";

  constructor(
    message: string,
    /** The node said no: it has no such table, or does not know us. */
    readonly refused: boolean,
    /** Milliseconds that the node asks to wait. */
    readonly afterMs?: number,
    /** The credentials were not taken. */
    readonly unauthorized = false,
  ) {
    super(message);
  }
}

/** Of an error's body, no more is read. */
const MAX_ERROR_BYTES = 65_536;

/** Lists the marks of one node, one try a call: the pace counts failed tries, so nothing here repeats one. */
export class MarkSource {
  private readonly connection: HttpConnection;

  constructor(
    /** The node's options as they are now. */
    private readonly options: () => NodeOptions,
    private readonly parts: { readonly world: ForwarderWorld; readonly loop: SharedTurns },
  ) {
    const { maxConcurrency = DEFAULTS.maxConcurrency } = options();
    this.connection = new HttpConnection({ connections: maxConcurrency, tls: () => this.options().tls }, parts.world);
  }

  /**
   * Asks for a table, and hands the body on as it arrives.
   *
   * @param take Its promise is waited for before more is read. What it throws as a {@link ShapeError} becomes a failure.
   * @throws {ListFailure}
   */
  async list(
    table: TableName,
    userArena: string | undefined,
    take: (bytes: Buffer) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const options = this.options();
    const { endpoint, redacted, fail } = this.words(table);
    const given = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { [USER_ARENA]: headerArena, ...headers } = given;
    const arena = userArena ?? options.userArena ?? headerArena ?? table.arena;
    const timeoutMs = options.timeoutMs ?? DEFAULTS.timeoutMs;
    try {
      const answer = await this.connection.open({
        url: new URL(`${endpoint.origin}${endpoint.path}${NODE_PATH}`),
        headers: {
          accept: "application/json",
          "user-agent": "pulumi-packetfilter",
          ...(endpoint.authorization !== undefined && { authorization: endpoint.authorization }),
          ...headers,
          // A header carries bytes; names beyond ASCII travel as UTF-8.
          [USER_ARENA]: Buffer.from(arena, "utf8").toString("latin1"),
          "content-type": "application/json",
        },
        body: listCommand({ kind: "mark", arena: table.arena, profile: table.profile }, table.type),
        timeoutMs,
        signal,
      });
      const { status, afterMs } = answer;
      if (status >= 200 && status < 300) {
        for await (const chunk of answer.body()) {
          // Bytes of many nodes may have come at the same moment.
          await this.parts.loop.next();
          await take(chunk);
        }
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer.body()) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_ERROR_BYTES) break;
      }
      const words = errorText(redacted(Buffer.concat(chunks).toString("utf8"))).slice(0, 300);
      const refused = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
      throw fail(`HTTP ${status}${words === "" ? "" : `: ${words}`}`, refused, afterMs, status === 401);
    } catch (error) {
      if (error instanceof NoAnswer) throw fail(error.message, false);
      throw this.explain(error, table);
    }
  }

  /** What the readers of a body throw, as a sentence about the node; anything else as it is. */
  explain(error: unknown, table: TableName): unknown {
    const { fail } = this.words(table);
    if (error instanceof ListRefused) return fail(error.message, true);
    if (error instanceof ShapeError) return fail(`${error.message}; nothing of it is taken over`, false);
    return error;
  }

  private words(table: TableName) {
    const options = this.options();
    const endpoint = parseEndpoint(options.endpoint, "endpoint", NODE_PATH);
    const secrets = Object.entries(options.headers ?? {}).flatMap(([name, value]) =>
      // The arena's name is no secret, and stands in every message.
      name.toLowerCase() === USER_ARENA ? [] : [value],
    );
    // Made for a failure only: all forms of all secrets are more work than the rest of a request.
    const redacted = (text: string): string =>
      new Redactor([...secrets, endpoint.authorization, ...endpoint.secrets, options.tls?.key]).text(text);
    const subject = `Marks (${table.type}) of mark://${table.arena}/${table.profile} on ${table.node} (${endpoint.label})`;
    const fail = (what: string, refused: boolean, afterMs?: number, unauthorized = false): ListFailure =>
      new ListFailure(redacted(`${subject}: ${what}.`), refused, afterMs, unauthorized);
    return { endpoint, redacted, fail };
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
