import { AsyncLocalStorage } from "node:async_hooks";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

/** The text that `Notices` puts before a warning. */
const WARNING = "warning: ";
/** An engine that has ended takes nothing more; a line waits for it so long at most, in milliseconds. */
const LOG_DEADLINE_MS = 5_000;

/**
 * Shows lines as diagnostics of the resource that is worked on: the engine hides what a plugin prints.
 * `docs/contributing/decisions/plugin.md` has the reason.
 */
export class EngineLog {
  private readonly urns = new AsyncLocalStorage<string>();
  private readonly pending = new Set<Promise<void>>();
  private engine: { readonly address: string; readonly client: EngineClient } | undefined;

  /** Takes the address that the engine serves; later lines go there. */
  connect(address: string): void {
    if (address === "" || this.engine?.address === address) return;
    this.engine?.client.close();
    this.engine = { address, client: new EngineClient(address, credentials.createInsecure()) };
  }

  /** Does work of which each line belongs to a resource; lines of work outside belong to the stack. */
  about<T>(urn: string, work: () => T): T {
    return this.urns.run(urn, work);
  }

  /** Shows a line; one that begins with `warning: ` as a warning. */
  readonly print = (line: string): void => {
    const isWarning = line.startsWith(WARNING);
    const request = new LogRequest();
    request.setSeverity(isWarning ? LogSeverity.WARNING : LogSeverity.INFO);
    request.setMessage(isWarning ? line.slice(WARNING.length) : line);
    request.setUrn(this.urns.getStore() ?? "");
    const client = this.engine?.client;
    if (!client) return;
    const sent: Promise<void> = new Promise<void>((done) => {
      const deadline = Date.now() + LOG_DEADLINE_MS;
      client.waitForReady(deadline, (error) => (error ? done() : client.log(request, () => done())));
    }).then(() => void this.pending.delete(sent));
    this.pending.add(sent);
  };

  /** Settles when each line that was printed so far has arrived. */
  async flushed(): Promise<void> {
    await Promise.all(this.pending);
  }
}
