import type { Overview } from "../schemas";
import { requestsOf } from "./route";
import { type State, update } from "./store";
import { answeredBy } from "./texts";
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

/** Says what answers in place of the emulator, and what on this page is not what clients are told then. */
function Sources({ sources }: Pick<Overview, "sources">) {
  const { proxy, proxySignaling, record, replay } = sources;
  const told = [
    (proxy ?? replay) !== undefined && `Requests of the node API are ${answeredBy(sources, proxy)}.`,
    (proxySignaling ?? replay) !== undefined &&
      `Requests of the signaling API are ${answeredBy(sources, proxySignaling)}.`,
    record !== undefined && `The answers are kept in ${record}.`,
  ].filter(Boolean);
  if (told.length === 0) return null;
  const node = proxy !== undefined || replay !== undefined;
  const signaling = proxySignaling !== undefined || replay !== undefined;
  const own = [...(node ? ["sets", "marks", "profiles"] : []), ...(signaling ? ["signalings"] : [])];
  return (
    <p class="banner sources" role="status">
      <span>
        {told.join(" ")} What this page shows of {own.join(", ")} is the emulator’s own, and not what clients are told:
        that is in <a href={requestsOf("")}>the journal</a>.
      </span>
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
