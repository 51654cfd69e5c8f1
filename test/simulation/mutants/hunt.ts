import process from "node:process";
import { playSeed } from "../seeds";

/** Plays seeds one after the other until a promise is broken; prints the seed, the promise and the sentence as JSON, or `null`. */
async function hunt(from: number, to: number): Promise<void> {
  for (let seed = from; seed <= to; seed += 1) {
    const { broken } = await playSeed(seed);
    if (!broken) continue;
    process.stdout.write(JSON.stringify({ seed, ...broken }));
    return;
  }
  process.stdout.write("null");
}

Error.stackTraceLimit = 8;
void hunt(Number(process.argv[2]), Number(process.argv[3]));
