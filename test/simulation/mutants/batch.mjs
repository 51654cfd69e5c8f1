// @ts-check
import { mutants } from "./mutant.mjs";

/** Faults of staging, commits, lists and their gathering. */
export const BATCH = mutants([
  {
    name: "commit-between-delete-and-insert",
    promise: 1,
    seed: 23,
    file: "apply/set-staging.ts",
    find: "{ once: true },\n    );",
    replace: "{ once: true },\n    );\n    await this.set.commit();",
  },
  {
    name: "write-through-two-names-at-once",
    promise: 1,
    seed: 4,
    file: "client/node-connection.ts",
    find: "const release = await turn.acquire();",
    replace: "const release = () => {};",
  },
  {
    name: "commit-again-and-again",
    promise: 4,
    seed: 1,
    file: "apply/set-flush.ts",
    find: "await this.dropRefused();\n",
    replace: "await options.set.commit();\n      await this.dropRefused();\n",
  },
  {
    name: "one-operation-a-flush",
    promise: 4,
    seed: 1,
    file: "apply/group-commit.ts",
    find: "const group = this.waiting;\n    this.waiting = [];",
    replace: "const group = this.waiting.splice(0, 1);",
  },
  {
    name: "do-not-wait-for-others",
    promise: 4,
    seed: 1,
    file: "apply/group-commit.ts",
    find: "if (this.inFlight.isFull) {",
    replace: "{",
  },
  {
    name: "share-no-list",
    promise: 5,
    seed: 33,
    file: "apply/shared-reads.ts",
    find: "at < SHARED_FOR_MS",
    replace: "at < 0",
  },
  {
    name: "keep-no-list",
    promise: 5,
    seed: 33,
    file: "apply/shared-reads.ts",
    find: "const kept = this.keepNow(this.ask(options));",
    replace: "const kept = { answer: this.ask(options) } as Kept<T>;",
  },
  {
    name: "skip-the-confirming-list",
    promise: 12,
    file: "apply/set-confirmation.ts",
    find: "const isShown = unlisted === undefined && absent.length === 0;",
    replace: "const isShown = true;",
  },
  {
    name: "believe-an-unconfirmed-commit",
    promise: 12,
    file: "apply/set-confirmation.ts",
    find: "const absent = missing({ put, remove }, after);",
    replace: "const absent: CanonicalPrefix[] = [];",
  },
]);
