import { type State, update } from "./store";
import { Button } from "./ui";

const at = (time: Date) => time.toTimeString().slice(0, 8);

/** Says that the emulator is gone, or that it is another one than before. */
export function Banner({ state: { connection, lost, restarted } }: { state: State }) {
  if (connection !== "live" && lost)
    return (
      <p class="banner gone" role="alert">
        The emulator has not answered since {at(lost)}. You see what it held then; nothing can be changed until it is
        back.
      </p>
    );
  if (!restarted) return null;
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
