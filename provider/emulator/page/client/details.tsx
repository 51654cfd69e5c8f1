import { useState } from "preact/hooks";
import type { JournalDetails } from "../answers";
import { act, useAnswer } from "./ask";
import { Scroll } from "./table";
import { bytes, listed } from "./texts";
import { Button, copy } from "./ui";

/** Bytes of an answer that the emulator keeps. */
const KEPT = 2_048;

/** An opened request with its answer. */
export function Details({ index, version }: { index: number; version: boolean }) {
  const { answer: entry, problem } = useAnswer<JournalDetails>(`/page/journal/${index}`, version);
  if (problem) return <p class="problem">{problem}</p>;
  if (!entry) return <p class="hint">…</p>;
  const { answer, answerHeaders, status, answerBytes, durationMs, curl, noCurl, noSend, rebuilt, ...request } = entry;
  const facts = listed(
    status === undefined ? "no answer" : `answer ${status}`,
    answerBytes !== undefined && bytes(answerBytes),
    durationMs !== undefined && `${durationMs} ms`,
  );
  return (
    <>
      <Repeat index={index} curl={curl} noCurl={noCurl} noSend={noSend} rebuilt={rebuilt} />
      <div class="exchange">
        <Scroll label="Request">
          <pre>{JSON.stringify(request, null, 1)}</pre>
        </Scroll>
        <div>
          <p class="hint">{facts}</p>
          {answer !== undefined && (
            <Scroll label="Answer">
              <samp>
                {Object.entries(answerHeaders ?? {}).map(([name, value]) => `${name}: ${value}\n`)}
                {"\n"}
                {readable(answer)}
                {(answerBytes ?? 0) > KEPT && "\n…"}
              </samp>
            </Scroll>
          )}
        </div>
      </div>
    </>
  );
}

/** Ways to repeat a request; the command is shown once it was copied, as it has places for secrets to fill in. */
function Repeat(props: { index: number } & Pick<JournalDetails, "curl" | "noCurl" | "noSend" | "rebuilt">) {
  const { index, curl = "", noCurl, noSend, rebuilt } = props;
  const [isShown, show] = useState(false);
  const copyCurl = () => {
    show(true);
    void copy(curl);
  };
  const send = () => act("Sent again: it is the newest request.", "POST", `/page/journal/${index}/send`);
  return (
    <>
      <div class="row tight repeat">
        <Button text="Copy as curl" disabled={noCurl !== undefined} onClick={copyCurl} />
        <Button text="Send again" disabled={noSend !== undefined} onClick={() => void send()} />
      </div>
      {[...new Set([noCurl, noSend])].map((why) => why && <p class="hint">{why}</p>)}
      {rebuilt && <p class="hint">The body comes from the journal: blanks and unknown members are missing.</p>}
      {isShown && (
        <Scroll label="Command">
          <pre class="command">{curl}</pre>
        </Scroll>
      )}
    </>
  );
}

/** JSON with one member a line; what is not JSON, and what was cut, as it is. */
function readable(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 1);
  } catch {
    return answer;
  }
}
