import { DEFAULTS } from "../../client/options";
import { grouped } from "../../model/text";
import { judgeLimit, largest } from "../asking/largest";
import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** Bytes of the largest request. Asked with lists that are padded with blanks, which stage nothing. */
export const largestBody = point({
  name: "largest-body",
  title: "bytes of one request",
  needs: "set",
  assumes: `at most ${grouped(DEFAULTS.maxBytesPerRequest)}; after a 413 half of that`,
  finds: ["maxBodyBytes", "capStatus", "tooLargeForm"],
  ask: async (bench) => {
    const { url } = bench.set;
    const plain = bench.listBody(url);
    const tryBytes = (bytes: number) =>
      bench.askLarge(() =>
        bench.ask({ url, command: "list", body: plain.padEnd(bytes), asked: `list of ${bytes} bytes` }),
      );
    const found = await largest(tryBytes, { accepted: Buffer.byteLength(plain), limit: bench.limits.bytes });
    bench.learned.bytesAtOnce = found.most;
    return found;
  },
  judge: judgeLimit,
  settings: ({ most, isMet }) =>
    isMet && most < DEFAULTS.maxBytesPerRequest ? { maxBytesPerRequest: Math.max(256, most) } : {},
  dialect: ({ most, isMet, refusal }) => ({
    maxBodyBytes: isMet ? most : undefined,
    ...(refusal && refusalSwitches("tooLarge", refusal)),
  }),
});
