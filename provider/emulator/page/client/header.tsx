import type { Overview } from "../answers";
import { act } from "./ask";
import { link } from "./route";
import { type State, update } from "./store";
import { Badge, Button, Name } from "./ui";

/** Address of the emulator, its clock, and the way back to the start: one row, on a narrow window with a menu. */
export function Header({ connection, overview }: { connection: State["connection"]; overview: Overview }) {
  const live = connection === "live";
  return (
    <header class="top">
      <img src="/page/icon.svg" alt="" width="28" height="28" />
      <h1>
        <span class="name">Packet filter emulator</span>
        <a href={link("setup")}>
          <Name>{overview.endpoint}</Name>
        </a>
      </h1>
      <span class={`link ${connection}`} role="status">
        {live ? "live" : "no connection"}
      </span>
      <Deviations overview={overview} />
      <Clock overview={overview} live={live} />
      <a class="help" href={link("help")}>
        Help
      </a>
    </header>
  );
}

function Deviations({ overview: { deviations } }: { overview: Overview }) {
  const count = Object.keys(deviations).length;
  if (count === 0) return null;
  return (
    <a class="deviations" href={link("setup")} title={JSON.stringify(deviations)}>
      <Badge tone="info">
        dialect: {count} <span class="more">not default</span>
      </Badge>
    </a>
  );
}

function Clock({ overview: { clock }, live }: { overview: Overview; live: boolean }) {
  const change = (done: string, body: object) => () => void act(done, "POST", "/clock", body);
  return (
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
          <Button text="Freeze" onClick={change("The clock is frozen.", { freeze: true })} />
        )}
        <Button text="+1 min" aria-label="+1 min: advance by a minute" onClick={change("", { advance: "1m" })} />
        <Button text="+1 h" aria-label="+1 h: advance by an hour" onClick={change("", { advance: "1h" })} />
        <Button text="Reset …" onClick={askToReset} />
      </div>
    </fieldset>
  );
}

/** Asks before everything is as at first. */
function askToReset(): void {
  update({
    question: {
      title: "Back to the start?",
      text: "The first state and dialect, real time, no faults, an empty journal. What clients wrote is lost.",
      action: "Reset",
      act: () => void act("Back at the start.", "POST", "/reset"),
    },
  });
}
