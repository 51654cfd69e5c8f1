import { NodeMemories } from "../../provider/client/world";

/** Waits that take no time. */
export function atOnce() {
  let time = 0;
  const sleep = async (ms: number) => {
    time += ms;
  };
  return { sleep, monotonic: () => time, memories: new NodeMemories() };
}
