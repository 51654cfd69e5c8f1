import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { DialectSettings } from "../../../provider/emulator";

/**
 * A node that the emulator cannot play: it stages the rest of a request with a refused entry, refuses what exists, takes
 * values up to 255, and deletes only what is applied. What is staged by mistake goes only through a commit.
 */
export interface ClingingNode extends AsyncDisposable {
  readonly endpoint: string;
  readonly applied: () => Record<string, number>;
}

/**
 * One that the emulator plays: it stages the rest of a request with a refused entry, refuses what exists, and deletes by its
 * own spelling only, which no list shows before a commit. A single address that is staged by mistake goes only through a commit.
 */
export const CLINGING = {
  insertExisting: "error",
  deleteAbsent: "error",
  refusedEntry: "rest",
  singleAddress: "bare",
  deleteSpelling: "listed",
} as const satisfies DialectSettings;

interface Body {
  readonly cmd: "list" | "insert" | "delete" | "commit";
  readonly data?: readonly { readonly p: string; readonly v: number; readonly a: string }[];
}

export async function clingingNode(lists: "applied" | "staged"): Promise<ClingingNode> {
  let applied = new Map<string, number>();
  const staged = new Map<string, number>();
  const carryOut = ({ cmd, data = [] }: Body): string | undefined => {
    const refusals: string[] = [];
    for (const { p, v, a } of data) {
      if (cmd === "delete" && !applied.has(a)) refusals.push(`${a} not found`);
      else if (cmd === "delete") staged.delete(a);
      else if (v > 255) refusals.push(`${p}: value out of range`);
      else if (staged.has(p)) refusals.push(`${p} exists`);
      else staged.set(p, v);
    }
    if (cmd === "commit") applied = new Map(staged);
    return refusals[0];
  };
  const server = createServer(async (request, response) => {
    const body: Body = JSON.parse(await text(request));
    const refusal = carryOut(body);
    const list = [...(lists === "staged" ? staged : applied)].map(([p, v]) => ({ p, v }));
    response.writeHead(refusal === undefined ? 200 : 409, { "content-type": "application/json" });
    response.end(
      JSON.stringify(refusal === undefined ? { data: body.cmd === "list" ? list : [] } : { error: refusal }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    applied: () => Object.fromEntries(applied),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
