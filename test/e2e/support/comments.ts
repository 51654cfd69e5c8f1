import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { serveHere } from "../../support/raw-server";

/** Requests with which a platform takes the comments of one merge request. */
export interface Platform {
  /** The path at which they are listed, by page, and made by POST. */
  readonly list: string;
  /** The path of one, without its id, and the method that changes it. */
  readonly one: string;
  readonly change: "PATCH" | "PUT";
  readonly authorized: (headers: IncomingHttpHeaders) => boolean;
  /** Author of a new comment, in the members by which the platform names one. */
  readonly author: object;
}

/** A comment of another author. */
interface Comment {
  readonly body: string;
  readonly [member: string]: unknown;
}

/** Other answers of a platform, by path: JSON, or bytes as they are. */
export type Told = Readonly<Record<string, () => unknown>>;

/** A platform that has comments of others, and answers nothing but what {@link Platform} and {@link Told} say. */
export async function startComments(
  { list, one, change, authorized, author }: Platform,
  others: readonly Comment[],
  told: Told = {},
) {
  const comments: { id: number; body: string }[] = others.map((other, id) => ({ ...other, id }));
  const written: string[] = [];
  const server = await serveHere(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const text = await textOf(request);
    if (!authorized(request.headers)) return answer(401, { message: "Unauthorized" });
    if (request.method === "GET" && pathname === list) {
      const size = Number(searchParams.get("per_page"));
      const start = (Number(searchParams.get("page")) - 1) * size;
      return answer(200, comments.slice(start, start + size));
    }
    if (request.method === "GET" && told[pathname]) {
      const body = told[pathname]();
      if (!Buffer.isBuffer(body)) return answer(200, body);
      return response.writeHead(200, { "content-type": "application/octet-stream" }).end(body);
    }
    written.push(`${request.method} ${pathname}`);
    if (request.method === "POST" && pathname === list) {
      const comment = { ...author, id: comments.length, body: JSON.parse(text).body };
      comments.push(comment);
      return answer(201, comment);
    }
    const found = comments.find(({ id }) => pathname === `${one}/${id}`);
    if (request.method !== change || found === undefined) return answer(404, { message: "Not Found" });
    found.body = JSON.parse(text).body;
    answer(200, found);
  });
  return {
    ...server,
    written,
    /** Comments there beside those of others. */
    added: () => comments.slice(others.length).map(({ body }) => body),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
