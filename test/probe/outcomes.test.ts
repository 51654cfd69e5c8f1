import { expect, test } from "vitest";
import { Unclear } from "../../provider/probe/asking/outcome";
import { exitCode } from "../../provider/probe/finding";
import { findingOf, notObserved, type Point } from "../../provider/probe/point";
import { POINTS } from "../../provider/probe/points";

const [point] = POINTS as [Point];
const LEFT = [{ where: "prefixset://edge/probe", prefixes: ["192.0.2.0/24"], remedy: "" }];

test("a switch without a value expresses nothing: it is a line, and not a default", () => {
  const finding = findingOf(point, {
    is: "followed",
    as: "dialect",
    node: "followed",
    dialect: { redirect: undefined },
  });
  expect([finding.expressed, finding.dialect, exitCode({ findings: [finding], left: [] })]).toEqual(["beyond", {}, 4]);
});

test("of several exit codes the highest holds", () => {
  const seen = findingOf(point, { is: "other", as: "beyond", node: "elsewhere" });
  const all = {
    findings: [notObserved(point, new Unclear("an error")), seen],
    left: LEFT,
    stopped: "it took too long",
  };
  const codes = [all, { ...all, left: [] }, { ...all, left: [], findings: [] }, { findings: [], left: [] }].map(
    exitCode,
  );
  expect(codes).toEqual([5, 4, 1, 0]);
});
