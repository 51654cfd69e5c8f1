import { useRef } from "preact/hooks";
import { call } from "./api";
import { type Connection, markHistory } from "./store";
import type { Overview } from "./types";
import { act, Badge } from "./ui";

/** Where the emulator is, its clock, and the way back to the start. */
export function Header({ connection, overview }: { connection: Connection; overview: Overview }) {
  const deviations = Object.keys(overview.deviations).length;
  return (
    <header class="top">
      <img src="/page/icon.svg" alt="" width="28" height="28" />
      <h1>
        Packet filter emulator <code>{overview.endpoint}</code>
      </h1>
      <span class={`link ${connection}`} role="status">
        {connection === "live" ? "live" : "no connection"}
      </span>
      {deviations > 0 && (
        <span title={JSON.stringify(overview.deviations)}>
          <Badge tone="info">dialect: {deviations} not default</Badge>
        </span>
      )}
      <Clock overview={overview} />
      <Reset />
    </header>
  );
}

function Clock({ overview: { clock } }: { overview: Overview }) {
  const change = (done: string, body: object) => () => void act(done, () => call("POST", "/clock", body));
  return (
    <fieldset class="clock" aria-label="Virtual clock">
      <time dateTime={clock.now} title="Virtual time, UTC">
        {clock.now.slice(0, 10)} <strong>{clock.now.slice(11, 19)}</strong>
      </time>
      {clock.frozen ? (
        <button type="button" class="small on" onClick={change("The clock runs.", { resume: true })}>
          Resume
        </button>
      ) : (
        <button type="button" class="small" onClick={change("The clock stands.", { freeze: true })}>
          Freeze
        </button>
      )}
      <button type="button" class="small" aria-label="Advance by a minute" onClick={change("", { advance: "1m" })}>
        +1 min
      </button>
      <button type="button" class="small" aria-label="Advance by an hour" onClick={change("", { advance: "1h" })}>
        +1 h
      </button>
    </fieldset>
  );
}

function Reset() {
  const dialog = useRef<HTMLDialogElement>(null);
  const reset = () => {
    dialog.current?.close();
    markHistory.clear();
    void act("Back at the start.", () => call("POST", "/reset"));
  };
  return (
    <>
      <button type="button" class="small" onClick={() => dialog.current?.showModal()}>
        Reset …
      </button>
      <dialog ref={dialog} aria-labelledby="reset-title">
        <h2 id="reset-title">Back to the start?</h2>
        <p>The first state and dialect, real time, no faults, an empty journal. What clients wrote is lost.</p>
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={reset}>
            Reset
          </button>
        </div>
      </dialog>
    </>
  );
}
