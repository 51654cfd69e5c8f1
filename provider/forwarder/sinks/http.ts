import { z } from "zod";
import { members, text, whole } from "../fields";
import { mediaTypeOf, type SinkAnswer } from "./answers";
import { httpFields, postingKind } from "./http-post";

const expected = members({
  status: z.array(whole(200, 299), { error: "must be a list of statuses from 200 to 299" }).min(1).optional(),
  contains: text.optional(),
});

const schema = members({ ...httpFields, expect: expected.optional() });

/**
 * NDJSON by POST. Any 2xx acknowledges, but no page of HTML: that is of a proxy or a sign-in. With `expect`, a status of its list,
 * and a body that contains its text, which then may be HTML.
 */
export const http = postingKind(
  schema,
  () => "",
  async (context, { expect = {} }) => {
    const { status, contains } = expect;
    const isExpected = (answer: SinkAnswer): boolean =>
      (status?.includes(answer.status) ?? true) &&
      (contains === undefined ? mediaTypeOf(answer) !== "text/html" : answer.body.includes(contains));
    const words = [
      ...(status ? [`status ${status.join(" or ")}`] : []),
      ...(contains === undefined ? [] : ["the text"]),
    ].join(" and ");
    const body = contains === undefined ? " with another body than HTML" : "";
    return {
      contentType: "application/x-ndjson",
      answers: {
        acknowledgement: words === "" ? "an acknowledgement" : `${words} of \`expect\`${body}`,
        acknowledged: (_, answer) => (isExpected(answer) ? {} : undefined),
      },
      body: (records) => records.lines(context.format),
    };
  },
);
