/** A body that is made while it is sent. */
export interface LongBody extends Iterable<Buffer> {
  /** Its length, if that is known beforehand. */
  readonly byteLength: number | undefined;
}

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  /** Content type; absent for an empty body. */
  readonly type?: string;
  readonly body: string | Buffer | LongBody;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = "application/json";

/** An answer in JSON. */
export function json(status: number, value: unknown): Reply {
  return { status, type: JSON_TYPE, body: JSON.stringify(value) };
}

/** An answer in plain text. */
export function text(status: number, body: string): Reply {
  return { status, type: "text/plain; charset=utf-8", body };
}

/** A page as a proxy in front of a node would send it. */
export function html(status: number, message: string): Reply {
  const title = message.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const body = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, type: "text/html; charset=utf-8", body };
}

/** A body as it is sent: whole, or long. */
export function encode(body: Reply["body"]): Buffer | LongBody {
  return typeof body === "string" ? Buffer.from(body) : body;
}
