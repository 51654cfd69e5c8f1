import { failedStatus } from "../../client/answer-readers";
import { labelOf } from "../../client/endpoint";
import { tooLarge } from "../../client/failed-try";
import type { Dispatcher } from "../../client/http";
import { NodeRequests } from "../../client/node-connection";
import { DEFAULTS, type NodeOptions } from "../../client/options";
import { visible } from "../../model/foreign-text";
import { formatUrl, type MarkUrl } from "../../model/resource-url";
import type { NodeHabits } from "../../wire/answers";
import { headOf } from "../../wire/envelope";
import { errorText } from "../../wire/node-answer";
import { SIZES } from "../defaults";
import { HttpConnection, NoAnswer } from "../http";
import { UnreadList } from "../reading/comparison";
import { nextTurn } from "../slices";
import type { TableName } from "../table";
import type { PollingParts } from "./mark-turns";

/** A list of marks that did not come. The message is a sentence without secrets. */
export class ListFailure extends Error {
  override readonly name = "ListFailure";

  constructor(
    message: string,
    readonly reason: ListFailureReason,
  ) {
    super(message);
  }
}

interface ListFailureReason {
  /** The node said no: it has no such table, or does not know us. */
  readonly refused?: boolean;
  /** The node is busy, and asks to come again. */
  readonly isBusy?: boolean;
  /** Milliseconds that the node asks to wait. */
  readonly afterMs?: number;
  /** The credentials were not taken. */
  readonly unauthorized?: boolean;
  /** No whole answer came. */
  readonly isSilent?: boolean;
}

/** Lists the marks of one node, one try a call: the pace counts failed tries, so nothing here repeats one. */
export class MarkSource {
  private readonly connection: HttpConnection;

  constructor(
    private readonly node: string,
    private readonly parts: Pick<PollingParts, "config" | "world" | "memories">,
  ) {
    const { maxConcurrency: connections = DEFAULTS.maxConcurrency } = this.options;
    this.connection = new HttpConnection({ connections, tls: () => this.options.tls }, parts.world);
  }

  /** Its connections, by the options as they are now: a node has the same for all requests. */
  dispatcher(): Promise<Dispatcher> {
    const { timeoutMs = DEFAULTS.timeoutMs } = this.options;
    return this.connection.dispatcher(new NodeRequests(this.options).endpoint.origin, timeoutMs);
  }

  /** Asks for a table. @returns what the answer says of itself, and its body, which is whole. @throws {ListFailure} */
  async list(table: TableName, userArena: string | undefined, signal: AbortSignal) {
    const { requests, fail } = this.contextOf(table);
    const {
      timeoutMs = DEFAULTS.timeoutMs,
      deadlineMs = DEFAULTS.deadlineMs,
      maxAnswerBytes = DEFAULTS.maxAnswerBytes,
    } = this.options;
    // What is beyond the limits below is refused in their words.
    const maxBytes = Math.max(maxAnswerBytes, SIZES.errorBytes) + SIZES.portionBytes;
    const request = requests.listMarks(urlOf(table), table.type, userArena);
    try {
      const limits = { timeoutMs, deadlineMs, maxBytes };
      const answer = await this.connection.open({ request, ...limits, signal, follows: true });
      const { status, afterMs, header } = answer;
      const isList = status >= 200 && status < 300;
      const body: Uint8Array<ArrayBuffer>[] = [];
      let bytes = 0;
      for await (const chunk of answer.body()) {
        // Bytes of many nodes may have come at the same moment.
        await nextTurn();
        // A copy of its own, which another thread can take over.
        body.push(new Uint8Array(chunk));
        bytes += chunk.length;
        if (isList && bytes > maxAnswerBytes) throw fail(tooLarge(maxAnswerBytes), {});
        if (!isList && bytes > SIZES.errorBytes) break;
      }
      if (isList) return { head: headOf(answer, this.habits), body };
      const text = Buffer.concat(body).toString("utf8");
      const { redactor } = requests;
      const said = errorText(text);
      const { outcome, isBusy = false } = failedStatus({ status, header, body: text }, errorText, "endpoint") ?? {};
      throw fail(`HTTP ${status}${said === "" ? "" : `: ${redactor.sanitize(said)}`}`, {
        refused: outcome === "refused",
        isBusy,
        ...(afterMs !== undefined && { afterMs }),
        unauthorized: status === 401,
      });
    } catch (error) {
      if (error instanceof NoAnswer) throw fail(error.message, { isSilent: true });
      throw error;
    }
  }

  /** Answers of the node, by its options and by what this process has observed. */
  get habits(): NodeHabits & { readonly keyedPlaces: Set<string> } {
    const { answers, maxListRecords = DEFAULTS.maxListRecords } = this.options;
    const { keyedPlaces } = this.parts.memories.of(new NodeRequests(this.options).endpoint.shown);
    return { ...(answers && { answers }), keyedPlaces, maxListRecords };
  }

  /** Error of the reader of a body, as a sentence about the node; any other error unchanged. */
  explain(error: unknown, table: TableName): unknown {
    if (!(error instanceof UnreadList)) return error;
    const { fail } = this.contextOf(table);
    if (error.refused) return fail(error.message, { refused: true });
    return fail(`${error.message}; none of it is taken over${error.remedy ? `. ${error.remedy}` : ""}`, {});
  }

  /** As the configuration is now. */
  private get options(): NodeOptions {
    return this.parts.config.node(this.node);
  }

  /** The requests to the node, and the errors of a table. */
  private contextOf(table: TableName) {
    const requests = new NodeRequests(this.options);
    const node = labelOf(table.node, requests.endpoint.label);
    const subject = `Marks (${table.type}) of ${formatUrl(urlOf(table))} on ${node}`;
    const fail = (what: string, reason: ListFailureReason) => {
      const { redactor } = requests;
      const message = visible(`${redactor.text(subject)}: ${redactor.foreign(what).replace(/\.$/, "")}.`);
      return new ListFailure(message, reason);
    };
    return { requests, fail };
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

function urlOf({ arena, profile }: TableName): MarkUrl {
  return { kind: "mark", arena, profile };
}
