import type { Overview } from "../schemas";
import { call } from "./api";
import { act } from "./ask";
import type { Connection } from "./store";
import { Badge, Button } from "./ui";

/** Where the emulator is, its clock, and the way back to the start: one row, on a narrow window with a menu. */
export function Header({ connection, overview }: { connection: Connection; overview: Overview }) {
  const live = connection === "live";
  return (
    <header class="top">
      <img src="/page/icon.svg" alt="" width="28" height="28" />
      <h1 title={overview.endpoint}>
        <span class="name">Packet filter emulator</span> <code>{overview.endpoint}</code>
      </h1>
      <span class={`link ${connection}`} role="status">
        {live ? "live" : "no connection"}
      </span>
      <Deviations overview={overview} />
      <Clock overview={overview} live={live} />
    </header>
  );
}

function Deviations({ overview: { deviations } }: { overview: Overview }) {
  const count = Object.keys(deviations).length;
  if (count === 0) return null;
  return (
    <span class="deviations" title={JSON.stringify(deviations)}>
      <Badge tone="info">
        dialect: {count} <span class="more">not default</span>
      </Badge>
    </span>
  );
}

function Clock({ overview: { clock }, live }: { overview: Overview; live: boolean }) {
  const change = (done: string, body: object) => () => void act(done, () => call("POST", "/clock", body));
  return (
    <>
      <fieldset class="clock" aria-label="Virtual clock" disabled={!live}>
        <time dateTime={clock.now} title="Virtual time, UTC">
          <span class="date">{clock.now.slice(0, 10)} </span>
          <strong>{clock.now.slice(11, 19)}</strong>
        </time>
        <button type="button" class="small menu" popovertarget="controls" aria-label="Clock and reset">
          ⋯
        </button>
        <div id="controls" popover>
          {clock.frozen ? (
            <Button text="Resume" on onClick={change("The clock runs.", { resume: true })} />
          ) : (
            <Button text="Freeze" onClick={change("The clock stands.", { freeze: true })} />
          )}
          <Button text="+1 min" label="+1 min: advance by a minute" onClick={change("", { advance: "1m" })} />
          <Button text="+1 h" label="+1 h: advance by an hour" onClick={change("", { advance: "1h" })} />
          <Button text="Reset …" onClick={() => resetDialog()?.showModal()} />
        </div>
      </fieldset>
      <Reset live={live} />
    </>
  );
}

const resetDialog = () => document.querySelector<HTMLDialogElement>("#reset");

/** Outside the menu, which closes when the dialog opens. */
function Reset({ live }: { live: boolean }) {
  const reset = () => {
    resetDialog()?.close();
    void act("Back at the start.", () => call("POST", "/reset"));
  };
  return (
    <dialog id="reset" aria-labelledby="reset-title">
      <h2 id="reset-title">Back to the start?</h2>
      <p>The first state and dialect, real time, no faults, an empty journal. What clients wrote is lost.</p>
      <div class="row end">
        <button type="button" onClick={() => resetDialog()?.close()}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={!live} onClick={reset}>
          Reset
        </button>
      </div>
    </dialog>
  );
}
