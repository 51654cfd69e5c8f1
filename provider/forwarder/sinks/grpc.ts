import type { Client, ServiceError } from "@grpc/grpc-js";
import type { Tls } from "../fields";
import { NoAnswer, type PostRequest, type WholeAnswer } from "../http";
import type { ForwarderWorld } from "../world";

/** Of gRPC's status codes those that say something of the records, or of who sends them, as HTTP has them (grpc/doc/http-grpc-status-mapping). */
const AS_HTTP: Readonly<Record<number, number>> = { 3: 400, 5: 404, 7: 403, 8: 429, 16: 401 };
/** Answer of servers to a message beyond their limit, with the code of a quota. */
const TOO_LARGE = /larger than max/i;
/** Headers that gRPC sets in its own way. */
const OF_HTTP = ["content-type", "user-agent"];

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/**
 * Unary calls of gRPC in the form of POSTs: the path names the method, the body is the message, and the answer has the status of HTTP
 * that means the same. Repeats nothing.
 */
export class GrpcConnection {
  /** Each server and set of TLS settings has a connection of its own. */
  private readonly clients = new Map<string, Client>();

  constructor(
    private readonly grpc: typeof import("@grpc/grpc-js"),
    private readonly options: { readonly gzip: boolean; readonly tls: () => Tls | undefined },
    private readonly world: Pick<ForwarderWorld, "after">,
  ) {}

  /** @throws {NoAnswer} when no server was reached, or it may get over what it answered. */
  post({ request, timeoutMs, deadlineMs, maxBytes, signal }: PostRequest): Promise<WholeAnswer> {
    const { origin, path, headers, body } = request;
    const metadata = new this.grpc.Metadata();
    for (const [name, value] of Object.entries(headers)) if (!OF_HTTP.includes(name)) metadata.set(name, value);
    return new Promise((resolve, reject) => {
      const message = Buffer.from(body);
      const call = this.client(origin, maxBytes).makeUnaryRequest(
        path,
        asTheyAre,
        asTheyAre,
        message,
        metadata,
        (error, answer) => {
          cancelTimer();
          signal?.removeEventListener("abort", cancel);
          const status = error ? statusOf(error) : 200;
          if (error && status === undefined) return reject(new NoAnswer(error.details || error.message));
          resolve({
            status: status ?? 200,
            header: () => undefined,
            body: answer ?? Buffer.from(error?.details ?? ""),
          });
        },
      );
      const cancel = (): void => call.cancel();
      const cancelTimer = this.world.after(Math.min(timeoutMs, deadlineMs), cancel);
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted) cancel();
    });
  }

  async close(): Promise<void> {
    for (const client of this.clients.values()) client.close();
  }

  private client(origin: string, maxBytes: number): Client {
    const { host, protocol } = new URL(origin);
    const tls = protocol === "https:" ? (this.options.tls() ?? {}) : undefined;
    const key = JSON.stringify([host, tls ?? null]);
    const kept = this.clients.get(key);
    if (kept) return kept;
    const bytes = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
    const { credentials, compressionAlgorithms } = this.grpc;
    const made = new this.grpc.Client(
      host,
      tls ? credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert)) : credentials.createInsecure(),
      {
        // Its own proxy support reads the environment of the process, which no sink does.
        "grpc.enable_http_proxy": 0,
        "grpc.max_receive_message_length": maxBytes,
        "grpc.service_config_disable_resolution": 1,
        ...(tls?.serverName !== undefined && { "grpc.ssl_target_name_override": tls.serverName }),
        ...(this.options.gzip && { "grpc.default_compression_algorithm": compressionAlgorithms.gzip }),
      },
    );
    this.clients.set(key, made);
    return made;
  }
}

function statusOf({ code, details }: ServiceError): number | undefined {
  return TOO_LARGE.test(details) ? 413 : AS_HTTP[code];
}
