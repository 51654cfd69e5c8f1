import { parentPort } from "node:worker_threads";
import { StoredLedger } from "./ledger";
import { failureOf, type Question, type Reply } from "./thread";

/** The other end of {@link LedgerThread}: one ledger, asked by messages. */
let ledger: StoredLedger | undefined;

async function answer({ name, args }: Question): Promise<unknown> {
  if (name === "open") {
    const { ledger: made, opened } = await StoredLedger.open(...args);
    ledger = made;
    return opened;
  }
  if (!ledger) throw new Error("The ledger is not open.");
  return Reflect.apply(ledger[name], ledger, args);
}

parentPort?.on("message", (question: Question) => {
  const { number } = question;
  const reply = (message: Reply): void => parentPort?.postMessage(message);
  answer(question).then(
    (result) => reply({ number, result }),
    (error: unknown) => reply({ number, failure: failureOf(error) }),
  );
});
