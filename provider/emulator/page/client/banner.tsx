import type { Overview } from "../schemas";
import { type State, update } from "./store";
import { Button } from "./ui";

const at = (time: Date) => time.toTimeString().slice(0, 8);

/** Says that the emulator is gone, or that it is another one than before. */
export function Banner({ state: { connection, lost, restarted, overview } }: { state: State }) {
  if (connection !== "live" && lost)
    return (
      <p class="banner gone" role="alert">
        The emulator has not answered since {at(lost)}. You see what it held then; nothing can be changed until it is
        back.
      </p>
    );
  return (
    <>
      {overview && <Sources sources={overview.sources} />}
      {restarted && <Restarted at={restarted} />}
    </>
  );
}

/** Says what answers in place of the emulator: what the page shows is not what clients are told then. */
function Sources({ sources: { proxy, proxySignaling, record, replay, unseen } }: Pick<Overview, "sources">) {
  const told = [
    proxy && `Requests of the node API are answered by ${proxy}.`,
    proxySignaling && `Requests of the signaling API are answered by ${proxySignaling}.`,
    record && `The answers are kept in ${record}.`,
    replay &&
      `Requests are answered from the recording ${replay}; what is not in it is ${unseen === "emulate" ? "answered by the emulator" : "refused"}.`,
  ].filter(Boolean);
  if (told.length === 0) return null;
  return (
    <p class="banner sources" role="status">
      {told.join(" ")} Sets, marks and profiles on this page are the emulator’s own, and not what clients are told.
    </p>
  );
}

function Restarted({ at: restarted }: { at: Date }) {
  return (
    <p class="banner" role="status">
      <span>
        The emulator was started again at {at(restarted)}. Its journal, faults and clock began anew, and it holds what
        it was started with.
      </span>
      <Button text="×" label="Dismiss" onClick={() => update({ restarted: undefined })} />
    </p>
  );
}
