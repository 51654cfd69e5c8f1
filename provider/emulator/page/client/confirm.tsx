import { useEffect, useRef } from "preact/hooks";
import { type Question, update } from "./store";

/** Asks the question, if there is one. It stands outside of views and menus, which may close or be disabled meanwhile. */
export function Confirm({ question, live }: { question: Question | undefined; live: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (question) dialog.current?.showModal();
  }, [question]);
  if (!question) return null;
  const { title, text, action, act } = question;
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => update({ question: undefined })}>
      <h2 id="question">{title}</h2>
      <p>{text}</p>
      <div class="row end">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={!live}
          onClick={() => {
            dialog.current?.close();
            act();
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
