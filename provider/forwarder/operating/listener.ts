import type { Forwarder } from "../forwarder";
import { type OperatingServer, serveOperating } from "./http-server";

/** The server of `/healthz`, `/readyz` and `/metrics` at the address of the configuration, which may change. */
export class Listener {
  private listen: string | undefined;
  private server: OperatingServer | undefined;

  /** @param forwarder Asked at each request. */
  constructor(private readonly forwarder: () => Forwarder) {}

  get url(): string | undefined {
    return this.server?.url;
  }

  /**
   * Listens at another address, or at none.
   *
   * @throws {OptionsError} when it cannot be listened on; it listens where it did then.
   */
  async move(listen: string | undefined): Promise<void> {
    if (listen === this.listen) return;
    const before = this.listen;
    // The same port of another address is free only once it is given back.
    if (portOf(before) === portOf(listen)) await this.close();
    try {
      const server = listen === undefined ? undefined : await serveOperating(listen, this.forwarder);
      await this.close();
      this.server = server;
      this.listen = listen;
    } catch (error) {
      if (before !== undefined && !this.server) this.server = await serveOperating(before, this.forwarder);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }
}

function portOf(listen: string | undefined): string | undefined {
  return listen?.slice(listen.lastIndexOf(":"));
}
