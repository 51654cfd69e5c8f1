import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { openForwarder, temporaryFolder } from "../forwarder/support/forward";
import { serveRaw } from "../support/raw-server";
import { run } from "./support";

/** All special characters, and what a screen, a speaker or a reader acts on. */
const TOKEN = "canary+/=\"'&%<>\\ k3y";
const ACTING = "\u001b[2J\u0007\u001b]8;;https://192.0.2.1\u0007link\u001b]8;;\u0007\u009b31m\u202e\u2066\u200b\u007f";

/** Text in which another side echoes a credential, in each way once, and acts on a screen. */
const FOREIGN = [
  TOKEN,
  encodeURIComponent(TOKEN),
  JSON.stringify(TOKEN),
  TOKEN.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`),
  TOKEN.replace(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  Buffer.from(TOKEN).toString("base64"),
]
  .map((text) => `${ACTING}${text}`)
  .join(" ");

/** Of none of this anything may be seen. */
const SEEN_ACTING = /(?![\n\r])[\p{Cc}\p{Cf}]/u;
const LEAKED = new RegExp(`canary|k3y|Y2FuYXJ5|${SEEN_ACTING.source}`, "u");

const ANSWERS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "a refusal in plain text": (_, response) => response.writeHead(400).end(FOREIGN),
  "a refusal in JSON": (_, response) => response.writeHead(422).end(JSON.stringify({ error: { message: FOREIGN } })),
  "a success that is an error": (_, response) => response.end(JSON.stringify({ success: false, msg: FOREIGN })),
  "a page": (_, response) => response.writeHead(502).end(`<html><title>${FOREIGN}</title></html>`),
  "a page without an end of its titles": (_, response) => response.writeHead(400).end("<title".repeat(40_000)),
  "a page of headings": (_, response) => response.writeHead(400).end(`<p>${"<h1".repeat(80_000)}`),
  "text with a secret across the end of what is read": (_, response) =>
    response.writeHead(400).end(`<title>${"x".repeat(65_520)}${TOKEN}${"x".repeat(100)}</title>`),
  "a redirect to elsewhere": (_, response) =>
    response.writeHead(302, { location: `http://192.0.2.1/${encodeURIComponent(FOREIGN)}` }).end(),
  "a list of unknown shape": (_, response) => response.end(JSON.stringify({ [FOREIGN]: [{ [FOREIGN]: FOREIGN }] })),
  "a list with unreadable prefixes": (_, response) =>
    response.end(JSON.stringify({ data: [{ p: FOREIGN, v: FOREIGN }] })),
  "a list with names": (_, response) => response.end(JSON.stringify([{ id: 1, name: ACTING, [ACTING]: ACTING }])),
  "a status text": (_, response) => {
    response.socket?.end(`HTTP/1.1 400 ${encodeURIComponent(TOKEN)}\r\nContent-Length: 0\r\n\r\n`);
  },
};

describe.each(Object.entries(ANSWERS))("a node that answers with %s", (name, answer) => {
  const headers = { "x-token": TOKEN };

  test("leaves nothing of it in what a deployment says", async () => {
    using node = await serveRaw(answer);
    const printed: string[] = [];
    const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line), world: { maxTries: 1 } });
    const config: Record<string, unknown> = { endpoint: node.url, headers, node: { deadlineMs: 2_000 } };
    runtime.configure((key) => config[key] as never);
    const sets = new PrefixSetHandler(runtime);
    const { inputs } = sets.check({}, { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } } as never);
    const result = await sets.create(inputs).catch((error: unknown) => error);
    expect(result).toBeInstanceOf(Error);
    expect(`${inspect(result, { depth: 5 })}${(result as Error).stack}${printed.join("")}`).not.toMatch(LEAKED);
  });

  test.each([
    ["list", "prefixset://edge/blocked"],
    ["list", "profile://edge/web"],
    ["list", "profile://edge/web", "--output", "json"],
    ["list", "profile://edge/web", "--output", "csv"],
    ["list", "mark://edge/web", "--type", "shost"],
    ["capture", "arena://edge"],
    ["import", "prefixset://edge/blocked"],
    ["probe", "prefixset://edge/blocked"],
  ])("leaves nothing of it in the output of %s %s %s %s", async (...args) => {
    using node = await serveRaw(answer);
    using folder = temporaryFolder();
    // What a node lists is shown as it is, made visible.
    const leaked = args[1].startsWith("profile") && name === "a list with unreadable prefixes" ? SEEN_ACTING : LEAKED;
    const env = { PACKETFILTER_ENDPOINT: node.url, PACKETFILTER_HEADERS: JSON.stringify(headers) };
    const { out, err } = await run(args, { env, folder: folder.path });
    expect(out + err).not.toBe("");
    expect(out + err).not.toMatch(leaked);
  });

  test("leaves nothing of it in what the forwarder says", async () => {
    using node = await serveRaw(answer);
    using folder = temporaryFolder();
    const { forwarder, told } = await openForwarder(
      {
        nodes: { fra1: { endpoint: node.url, headers } },
        watch: [{ arena: "edge", profiles: ["web"], types: ["shost"] }],
        state: folder.path,
        sinks: [{ name: "out", type: "file", path: join(folder.path, "out.ndjson") }],
      },
      folder.path,
    );
    await forwarder.once(AbortSignal.timeout(3_000));
    await forwarder.stop(0);
    expect(told.lines.join("\n")).not.toMatch(LEAKED);
  });
});
