import { describe, expect, it } from "vitest";
import { refusePartialAnswer } from "../../provider/wire/envelope";

const judge = (status: number, headers: Record<string, string>) => () =>
  refusePartialAnswer({ status, header: (name) => headers[name] }, 10);

describe("status and headers of a list of ten", () => {
  it.each<[number, Record<string, string>, string]>([
    [206, {}, "the status 206 says that this is a part of the list"],
    [200, { "content-range": "items 0-9/40" }, 'the header Content-Range says "items 0-9/40"'],
    [200, { "content-range": "items 0-9/*" }, 'the header Content-Range says "items 0-9/*"'],
    [
      200,
      { link: '</l?page=2>; rel="next", </l>; rel="first"' },
      'the header Link has a rel="next": the list continues',
    ],
    [200, { link: "</l?page=2>; rel=next" }, 'the header Link has a rel="next": the list continues'],
    [200, { "x-total-count": "11" }, "the header X-Total-Count is 11 and 10 are listed"],
  ])("%i %j say that it is not whole", (status, headers, message) => {
    expect(judge(status, headers)).toThrow(message);
  });

  it.each<Record<string, string>>([
    {},
    { "content-range": "items 0-9/10" },
    { link: '</l>; rel="self", </style.css>; rel="stylesheet"' },
    { "x-total-count": "10" },
  ])("%j do not", (headers) => {
    expect(judge(200, headers)).not.toThrow();
  });
});
