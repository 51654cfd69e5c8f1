import * as pulumi from "@pulumi/pulumi";
import { unknownKeys } from "../resources/config-keys";

/** What has been said in this process: the Automation API can run several programs, each with a configuration of its own. */
const said = new Set<string>();

/** Warns of keys of the stack's configuration that nothing reads, each once. */
export function warnOfUnknownKeys(): void {
  for (const sentence of unknownKeys(Object.keys(pulumi.runtime.allConfig()))) {
    if (said.has(sentence)) continue;
    said.add(sentence);
    void pulumi.log.warn(sentence);
  }
}
