import { expect, test } from "vitest";
import { noteLine, readUndo } from "../../provider/probe/asking/undo";
import { inProcess } from "./in-process";
import { probed, startNode, worldOf } from "./support";

test("every entry and every start is noted before it is sent, and nothing is left noted in the end", async () => {
  await using emulator = await startNode({});
  const way = inProcess(emulator);
  let notes = "";
  const unnoted: string[] = [];
  let sent = 0;
  const dispatch: (typeof way)["dispatch"] = (options, handler) => {
    const { inserted, started } = readUndo(notes);
    for (const prefix of writtenBy(String(options.path), String(options.body))) {
      sent += 1;
      if (![...inserted, ...started].includes(prefix)) unnoted.push(prefix);
    }
    return way.dispatch(options, handler);
  };
  const dispatcher = { dispatch } as typeof way;
  await probed(emulator, { world: { ...worldOf(emulator), dispatcher }, note: (one) => (notes += noteLine(one)) });
  expect(sent).toBeGreaterThan(30);
  expect(unnoted).toEqual([]);
  expect(readUndo(notes)).toMatchObject({ inserted: [], started: [] });
});

/** Prefixes that a request may put into the set, or start; an address that is started without its length is the same prefix. */
function writtenBy(path: string, body: string): string[] {
  if (path.endsWith("/start")) {
    const { IP_prefix: prefixes } = JSON.parse(body) as { IP_prefix: string[] };
    return prefixes.map((prefix) => (prefix.includes("/") ? prefix : `${prefix}/32`));
  }
  const data = /^\{"url":.*"cmd":"insert".*"data":(\[.*\])\}$/.exec(body)?.[1];
  return data === undefined ? [] : (JSON.parse(data) as { p: string }[]).map(({ p }) => p);
}
