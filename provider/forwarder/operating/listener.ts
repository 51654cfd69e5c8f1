import { isDeepStrictEqual } from "node:util";
import { partsOf } from "../config/fields";
import type { Listen } from "../config/schema";
import type { Forwarder } from "../forwarder";
import { type OperatingServer, serveOperating } from "./http-server";

/** The server of `/healthz`, `/readyz` and `/metrics` at the address of the configuration, which may change. */
export class Listener {
  private listen: Listen | undefined;
  private server: OperatingServer | undefined;

  /**
   * @param forwarder Asked at each request.
   * @param now What the configuration says now: certificate and token are read again from their files.
   */
  constructor(
    private readonly forwarder: () => Forwarder,
    private readonly now: () => Listen | undefined,
  ) {}

  get url(): string | undefined {
    return this.server?.url;
  }

  /**
   * Listens at another address, or at none.
   *
   * @throws {OptionsError} when it cannot be listened on; it listens where it did then.
   */
  async move(listen: Listen | undefined): Promise<void> {
    const before = this.listen;
    if (isDeepStrictEqual(placeOf(before), placeOf(listen))) return;
    // The same port of another address is free only once it is given back.
    if (before && listen && partsOf(before.address).port === partsOf(listen.address).port) await this.close();
    try {
      const server = listen && (await this.serve(listen));
      await this.close();
      this.server = server;
      this.listen = listen;
    } catch (error) {
      if (before && !this.server) this.server = await this.serve(before);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }

  private serve(listen: Listen): Promise<OperatingServer> {
    const current = (): Listen => {
      const now = this.now();
      // While it moves, the configuration still says where it was.
      return now && isDeepStrictEqual(placeOf(now), placeOf(listen)) ? now : listen;
    };
    return serveOperating(current, this.forwarder);
  }
}

/** What a server cannot change while it listens. */
function placeOf(listen: Listen | undefined) {
  return listen && { address: listen.address, isTls: listen.tls !== undefined };
}
