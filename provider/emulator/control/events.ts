import type { ServerResponse } from "node:http";
import { CONTROL } from "../defaults";
import type { Journal } from "../journal/journal";
import { reasonOf } from "../journal/journal-text";

/** Sends journal entries as they happen, until the reader leaves. Writes the answer itself. */
export function streamEvents(journal: Journal, response: ServerResponse): undefined {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(": journal\n\n");
  const stop = journal.listen(({ data: _, answer, ...entry }) => {
    const reason = reasonOf({ status: entry.status, answer });
    const event = { ...entry, ...(reason !== undefined && { reason }) };
    if (response.writableLength > CONTROL.eventBytes) response.destroy();
    else response.write(`id: ${entry.index}\nevent: request\ndata: ${JSON.stringify(event)}\n\n`);
  });
  response.on("close", stop);
}
