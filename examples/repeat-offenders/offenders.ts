/** Conditions for a repeated offender, and limits against a wrong answer. */
export interface Question {
  /** Base url of VictoriaLogs, where the forwarder sends marks to. */
  readonly url: string;
  /** Newly marked in so many intervals, at whichever nodes and however often in each … */
  readonly times: number;
  /** … within this time, as LogsQL writes it: `1d`. */
  readonly within: string;
  /** Length of an interval, in LogsQL's form. Default: `1h`. */
  readonly interval?: string;
  /** More than this many is no answer to act upon. */
  readonly most: number;
  /** True when there may be none. Default: an empty answer is an error. */
  readonly allowEmpty?: boolean;
}

/**
 * The addresses that were marked anew again and again, sorted. An analysis system that lost its data, a forwarder that stood
 * still or a query with a typing error answer "none", and a program that believed it would unblock every client: so an empty
 * answer is an error, and so is one in which no mark was seen at all, or one that is too long.
 *
 * @throws {Error} saying what is wrong; what is blocked then stays blocked.
 */
export async function repeatOffenders(question: Question): Promise<string[]> {
  const { url, times, within, interval = "1h", most, allowEmpty = false } = question;
  const seen = await ask(url, `_time:${within} event:* | stats count() as records`);
  if (Number(seen[0]?.records ?? 0) === 0) {
    throw new Error(`No mark reached ${url} within ${within}: is the forwarder running? What is blocked stays.`);
  }
  // What comes with a `reset` is told once more, not marked anew: it has the table and the time of the reset.
  const reset = `_time:${within} event:reset | fields ${LIST}, event`;
  const rows = await ask(
    url,
    [
      `_time:${within} event:added address:*`,
      `join by (${LIST}) (${reset}) prefix "reset."`,
      'filter "reset.event":""',
      `stats by (address, _time:${interval}) count() as records`,
      "stats by (address) count() as times",
      `filter times:>=${times}`,
    ].join(" | "),
  );
  const addresses = rows.flatMap(({ address }) => (address ? [address] : [])).sort();
  if (addresses.length > most) {
    throw new Error(
      `${addresses.length} sources were marked in ${times} intervals within ${within}, more than ${most}: nothing is changed.`,
    );
  }
  if (addresses.length === 0 && !allowEmpty) {
    throw new Error(
      `No source was marked in ${times} intervals within ${within}: what is blocked stays. Set allowEmpty if that is so.`,
    );
  }
  return addresses;
}

/** Common members of the records of one list. */
const LIST = "node, arena, profile, type, _time";

async function ask(url: string, query: string): Promise<Record<string, string>[]> {
  const body = new URLSearchParams({ query });
  const answer = await fetch(`${url}/select/logsql/query`, {
    method: "POST",
    body,
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answers HTTP ${answer.status}: ${text.slice(0, 200)}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
