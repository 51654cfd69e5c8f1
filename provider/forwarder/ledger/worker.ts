import { parentPort } from "node:worker_threads";
import { StoredLedger } from "./ledger";
import { failureOf, type Question, type Reply } from "./thread";

/** The other end of {@link LedgerThread}: one ledger, asked by messages. */
let ledger: StoredLedger | undefined;

async function answer(question: Question): Promise<unknown> {
  if (question.name === "open") {
    const { ledger: made, opened } = await StoredLedger.open(question.options);
    ledger = made;
    return opened;
  }
  if (!ledger) throw new Error("The ledger is not open.");
  switch (question.name) {
    case "take":
      return ledger.take(question.list);
    case "next":
      return ledger.next(question.sink, question.maxRecords);
    case "acknowledge":
      return ledger.acknowledge(question.sink, question.position);
    case "status":
      return ledger.status();
    case "close":
      return ledger.close(question.listed);
  }
}

parentPort?.on("message", (question: Question) => {
  const { number } = question;
  const reply = (message: Reply): void => parentPort?.postMessage(message);
  answer(question).then(
    (result) => reply({ number, result }),
    (error: unknown) => reply({ number, failure: failureOf(error) }),
  );
});
