import { send } from "./api";

/**
 * Reads server-sent events until they end. `EventSource` cannot send the token.
 *
 * @param opened is called once events come; `each` with the data of every one.
 */
export async function readEvents(path: string, opened: () => void, each: (data: string) => void): Promise<void> {
  const { body } = await send("GET", path);
  if (!body) return;
  opened();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      if (data.length > 0) each(data.join("\n"));
    }
  }
}
