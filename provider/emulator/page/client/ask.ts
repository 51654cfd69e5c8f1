import { useEffect, useState } from "preact/hooks";
import { call, send } from "./api";
import { refresh } from "./connection";
import { showMessage } from "./store";

/** Has the emulator do something, says so, and asks how it is then. Resolves to its answer, `undefined` when it failed. */
export async function act<T>(done: string, method: string, path: string, body?: unknown): Promise<T | undefined> {
  try {
    const answer = await call<T>(method, path, body);
    if (done) showMessage("done", done);
    return answer;
  } catch (error) {
    showMessage("error", error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    void refresh();
  }
}

/** Saves a file of the control API, or says why not. */
export async function saveFile(path: string): Promise<void> {
  try {
    const address = URL.createObjectURL(await (await send("GET", path)).blob());
    Object.assign(document.createElement("a"), { href: address, download: path.slice(1) }).click();
    URL.revokeObjectURL(address);
  } catch (error) {
    showMessage("error", error instanceof Error ? error.message : String(error));
  }
}

/** Answer of a path; asked for again whenever `version` changes. The last answer to the same request stays meanwhile. */
export function useAnswer<T>(path: string | undefined, version: unknown): { answer?: T; problem?: string } {
  const [last, keep] = useState<{ answer?: T; problem?: string }>({});
  useEffect(() => {
    if (path === undefined) return;
    let isCurrent = true;
    call<T>("GET", path).then(
      (answer) => isCurrent && keep({ answer }),
      (error: Error) => isCurrent && keep({ problem: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, version]);
  return last;
}

/** A value once it has not changed for a moment: not every letter is a question. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), 150);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
