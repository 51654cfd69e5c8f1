import type { Connection } from "./connection";
import type { Finding } from "./rule";

/** The connections of a resource whose settings the provider's own reader cannot read. */
export function* unreadSettings(kind: "node" | "receiver", connections: readonly Connection[]): Generator<Finding> {
  for (const { name, problem } of connections) {
    if (problem === undefined) continue;
    const which = name === undefined ? kind : `${kind} ${JSON.stringify(name)}`;
    yield {
      problem: `the settings of its ${which} cannot be read, so that no rule judges its address: ${problem.replace(/\.$/, "")}`,
      remedy: "Correct them: the provider reads them in the same way.",
    };
  }
}
