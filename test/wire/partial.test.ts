import { describe, expect, it } from "vitest";
import { refusePartialAnswer } from "../../provider/wire/envelope";

const judge = (status: number, headers: Record<string, string>) => () =>
  refusePartialAnswer({ status, headers }, 10, undefined);

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
    [200, { "x-total-count": "11" }, "the header x-total-count is 11 and 10 are listed"],
    [200, { "x-next-page": "2" }, "the header x-next-page says that the list continues"],
    [200, { "x-total-pages": "3" }, "the header x-total-pages says that the list has 3 pages"],
    [200, { "x-page": "1", "x-per-page": "10" }, 'the header x-page is the text "1" beside the list'],
    [200, { "x-ms-continuation": "abc" }, "the header x-ms-continuation says that the list continues"],
    [200, { "x-cursor": "abc" }, "the header x-cursor says that the list continues"],
    [200, { "x-has-more": "true" }, "the header x-has-more says that the list continues"],
    [200, { "grand-total": "40" }, "the header grand-total is 40 and 10 are listed"],
  ])("%i %j say that it is not whole", (status, headers, message) => {
    expect(judge(status, headers)).toThrow(message);
  });

  it.each<Record<string, string>>([
    {},
    { "content-range": "items 0-9/10" },
    { link: '</l>; rel="self", </style.css>; rel="stylesheet"' },
    { "x-total-count": "10" },
    { "x-next-page": "", "x-page": "1", "x-per-page": "20", "x-total": "10", "x-total-pages": "1" },
    { server: "nginx", "content-length": "250", "x-request-id": "7", "x-more": "false", "cache-control": "no-store" },
  ])("%j do not", (headers) => {
    expect(judge(200, headers)).not.toThrow();
  });

  it("an empty range is that of an empty list", () => {
    const answer = { status: 200, headers: { "content-range": "*/0" } };
    expect(() => refusePartialAnswer(answer, 0, {})).not.toThrow();
    expect(() => refusePartialAnswer(answer, 1, {})).toThrow('the header Content-Range says "*/0"');
  });

  it("those that answers.ignore names do not matter", () => {
    const headers = { "content-range": "items 0-9/40", link: "</l?page=2>; rel=next", "x-total-count": "11" };
    const ignore = ["Content-Range", "Link", "X-Total-Count"];
    expect(() => refusePartialAnswer({ status: 200, headers }, 10, { ignore })).not.toThrow();
    expect(() => refusePartialAnswer({ status: 206, headers }, 10, { ignore })).toThrow("the status 206");
  });
});
