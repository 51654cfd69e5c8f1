import { expect, it } from "vitest";
import { MEMBERS } from "../../provider/wire/answers";
import { answersSchema } from "../../provider/wire/answers-schema";

it.each([
  [{}],
  [{ path: "result.items", empty: "{}" }],
  [{ path: { prefixset: "a", profiles: "b.c", rules: "d", marks: "e" }, empty: "" }],
  [{ names: Object.fromEntries(MEMBERS.map((member) => [member, `own-${member}`])) }],
  [{ names: { id: { rules: "num", marks: "markid" }, value: { prefixset: "num" } } }],
])("settings of answers: %j", (answers) => {
  expect(answersSchema().parse(answers)).toEqual(answers);
});

it.each([
  [5, [["", "must be an object"]]],
  [{ paths: "x" }, [["", "has no member `paths`: `path` is likely meant"]]],
  [{ path: "" }, [["path", "must be names of members with dots between them"]]],
  [{ path: "a..b" }, [["path", "must be names of members with dots between them"]]],
  [{ path: 5 }, [["path", "must be a text, or an object of texts by kind of list"]]],
  [{ path: { sets: "x" } }, [["path", "has no member `sets`"]]],
  [{ path: { marks: ["x"] } }, [["path.marks", "must be a text"]]],
  [{ empty: "[]" }, [["empty", 'must be "{}" or ""']]],
  [{ names: { prefixes: "x" } }, [["names", "has no member `prefixes`: `prefix` is likely meant"]]],
  [{ names: { id: "" } }, [["names.id", "must not be empty"]]],
  [{ names: { id: "Row", value: "row" } }, [["names.id", "is the name of `value` already"]]],
  [{ names: { id: { rule: "x" } } }, [["names.id", "has no member `rule`: `rules` is likely meant"]]],
  [
    { success: { list: { text: "ok" } } },
    [["success.list", "must be { member, values }: words count for failures alone"]],
  ],
  [{ names: { id: { rules: "num" }, name: "NUM" } }, [["names.name", "is the name of `id` already"]]],
])("wrong settings of answers are refused by name: %j", (answers, problems) => {
  const issues = answersSchema().safeParse(answers).error?.issues ?? [];
  expect(issues.map(({ path, message }) => [path.join("."), message])).toEqual(problems);
});
