import { expect, it } from "vitest";
import { formatSent, parseSent, type SentTo } from "../../provider/model/entry";

const [BLOCKED, LOCAL] = ["prefixset://edge/blocked", "prefixset://edge/web/blocked"];

it.each<[SentTo, string]>([
  [{ [`http://192.0.2.10 ${BLOCKED}`]: 1 }, `1 ${BLOCKED} http://192.0.2.10`],
  [
    { [`http://192.0.2.10 ${BLOCKED}`]: 1, [`http://192.0.2.11 ${BLOCKED}`]: 1 },
    `1 ${BLOCKED} http://192.0.2.10 http://192.0.2.11`,
  ],
  [
    { [`http://192.0.2.10 ${BLOCKED}`]: 1, [`https://[2001:db8::1]:8443/a;b ${LOCAL}`]: 4294967295 },
    `1 ${BLOCKED} http://192.0.2.10; 4294967295 ${LOCAL} https://[2001:db8::1]:8443/a;b`,
  ],
])("where an entry was put is one line that is read back: %j", (sent, text) => {
  expect(formatSent(sent)).toBe(text);
  expect(parseSent(text)).toEqual(sent);
});

it.each([
  "",
  "1",
  `1 ${BLOCKED}`,
  `${BLOCKED} http://192.0.2.10`,
  `4294967296 ${BLOCKED} http://192.0.2.10`,
  `1 ${BLOCKED}  http://192.0.2.10`,
])("%j says of no place that something was put there", (text) => expect(parseSent(text)).toBeUndefined());
