import { EventEmitter } from "node:events";
import type { RequestListener } from "node:http";
import type { World } from "../../provider/client";
import type { Emulator } from "../../provider/emulator";

type Dispatcher = NonNullable<World["dispatcher"]>;
type Options = Parameters<Dispatcher["dispatch"]>[0];
type Handler = Required<Parameters<Dispatcher["dispatch"]>[1]>;

/**
 * A way to an emulator that has no sockets in it: requests reach the listener of its port as objects. Thousands of
 * requests cost a fifth of what they would over loopback.
 */
export function inProcess(emulator: Emulator): Dispatcher {
  const listener = listenerOf(emulator);
  const dispatch = (options: Options, handler: Handler): boolean => {
    const controller = { abort: () => {} };
    handler.onRequestStart(controller as never, {});
    const request = Object.assign(new EventEmitter(), {
      method: options.method,
      url: options.path,
      headers: lowerCased(options.headers as Record<string, string>),
      pause: () => {},
    });
    const response = new Exchange(handler);
    queueMicrotask(() => {
      listener(request as never, response as never);
      if (options.body) request.emit("data", Buffer.from(String(options.body)));
      request.emit("end");
    });
    return true;
  };
  return { dispatch } as never;
}

/** The half of a server's response that the emulator uses, handed on as undici hands on what it reads. */
class Exchange extends EventEmitter {
  readonly headersSent = false;
  readonly socket: { destroyed: boolean; resetAndDestroy: () => void; destroySoon: () => void };
  destroyed = false;
  private readonly chunks: Buffer[] = [];
  private head: { status: number; headers: Record<string, string> } = { status: 200, headers: {} };

  constructor(private readonly handler: Handler) {
    super();
    this.socket = { destroyed: false, resetAndDestroy: () => this.destroy(), destroySoon: () => {} };
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.head = { status, headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])) };
  }

  flushHeaders(): void {}

  write(chunk: Buffer, done?: () => void): boolean {
    this.chunks.push(chunk);
    done?.();
    return true;
  }

  end(last: Buffer, done?: () => void): void {
    // The emulator has something to do after the last byte, before a client can have read it.
    setImmediate(() => this.deliver(last));
    done?.();
  }

  private deliver(last: Buffer): void {
    const { status, headers } = this.head;
    this.handler.onResponseStart({} as never, status, headers, "");
    for (const chunk of [...this.chunks, last]) if (chunk.length > 0) this.handler.onResponseData({} as never, chunk);
    this.handler.onResponseEnd({} as never, {});
    this.emit("close");
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.socket.destroyed = true;
    this.handler.onResponseError({} as never, new Error("other side reset the connection"));
    this.emit("close");
  }
}

function listenerOf(emulator: Emulator): RequestListener {
  const server = Reflect.get(Reflect.get(Reflect.get(emulator, "parts"), "server"), "server");
  const [listener] = server.listeners("request");
  return listener;
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
