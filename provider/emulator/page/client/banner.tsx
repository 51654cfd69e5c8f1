import { useEffect, useRef, useState } from "preact/hooks";
import type { Overview } from "../answers";
import { token } from "./api";
import { TextField } from "./fields";
import { requestsOf } from "./route";
import { type State, update } from "./store";
import { answeredBy, listed, OWN } from "./texts";
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
      {restarted && (
        <p class="banner" role="status">
          <span>
            The emulator was started again at {at(restarted)}. Its journal, faults and clock began anew, and it holds
            what it was started with.
          </span>
          <Button text="×" aria-label="Dismiss" onClick={() => update({ restarted: undefined })} />
        </p>
      )}
    </>
  );
}

/** Names the source that answers in place of the emulator, and the parts of this page that clients do not see then. */
function Sources({ sources }: Pick<Overview, "sources">) {
  const { record } = sources;
  const [byNode, byReceiver] = [answeredBy(sources, "node"), answeredBy(sources, "signaling")];
  const [node, signaling] = [byNode !== OWN, byReceiver !== OWN];
  if (!node && !signaling) return null;
  return (
    <p class="banner" role="status">
      <span>
        {node && `Requests of the node API are ${byNode}. `}
        {signaling && `Requests of the signaling API are ${byReceiver}. `}
        {record !== undefined && `The answers are kept in ${record}. `}
        What this page shows of {listed(node && "sets, marks, profiles", signaling && "signalings")} is the emulator’s
        own, and not what clients are told: that is in <a href={requestsOf({})}>the journal</a>.
      </span>
    </p>
  );
}

/** Asks the question, if there is one. It stands outside of views and menus, which may close or be disabled meanwhile. */
export function Confirm({ question, live }: { question: State["question"]; live: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (question) dialog.current?.showModal();
  }, [question]);
  if (!question) return null;
  const { title, text, action, act } = question;
  const confirm = () => {
    dialog.current?.close();
    act();
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => update({ question: undefined })}>
      <h2 id="question">{title}</h2>
      <p>{text}</p>
      <div class="row end">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={!live} onClick={confirm}>
          {action}
        </button>
      </div>
    </dialog>
  );
}

/** Asks for the token of an emulator that wants one. */
export function Locked() {
  const [value, setValue] = useState("");
  const open = (event: Event) => {
    event.preventDefault();
    token.set(value.trim());
    location.reload();
  };
  return (
    <main class="locked">
      <form class="panel" onSubmit={open}>
        <h1>Packet filter emulator</h1>
        <p>
          {token.get() === null
            ? "Its control API requires a token: the one that it was started with, or else the one in its ready line."
            : "That is not the token of this emulator."}
        </p>
        <TextField label="Control token" type="password" value={value} onChange={setValue} required grow />
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
