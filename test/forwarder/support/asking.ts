import { onTestFinished } from "vitest";
import type { Forwarder } from "../../../provider/forwarder/forwarder";
import { serveOperating } from "../../../provider/forwarder/operating/http-server";

/** Asks a forwarder over HTTP, until the test is over. @returns status and document. */
export async function asking(forwarder: Forwarder) {
  const server = await serveOperating(
    () => ({ address: "127.0.0.1:0" }),
    () => forwarder,
  );
  onTestFinished(() => server.close());
  return async (path: string): Promise<[status: number, document: unknown]> => {
    const answer = await fetch(`${server.url}${path}`);
    return [answer.status, await answer.json()];
  };
}
