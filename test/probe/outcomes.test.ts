import { expect, test } from "vitest";
import { DEFAULTS, nodeSchema, parseOptions } from "../../provider/client/options";
import { type DialectSettings, dialect } from "../../provider/emulator";
import { exitCode } from "../../provider/probe/exit-code";
import { MEASURED, type Outcome } from "../../provider/probe/point";
import { POINTS } from "../../provider/probe/points";

const ANSWERS = { answers: { empty: "{}" } } as const;

/** Values that a node may show. */
const SHOWN: Readonly<Record<string, unknown>> = {
  ...DEFAULTS,
  ...ANSWERS,
  endpoint: "https://192.0.2.10",
  maxValue: 255,
};
const NORMAL: Readonly<Record<string, unknown>> = { ...dialect({}) };

const entriesOf = (values: object = {}) => Object.entries(values) as [name: string, value: unknown][];
const constantsOf = (values: object = {}) =>
  Object.fromEntries(entriesOf(values).filter(([, value]) => value !== MEASURED)) as DialectSettings;

/** The parts of an outcome that its kind may have or not. */
const partsOf = (outcome: Outcome) => ({ settings: {}, dialect: {}, ...outcome });

const EVERY = POINTS.flatMap((point) =>
  Object.entries(point.outcomes).map(([is, outcome]) => ({ name: point.name, is, as: outcome.as, outcome, point })),
);

test.each(EVERY)("$name: $is is expressed as $as alone", ({ is, outcome, point }) => {
  const { settings, dialect: switches } = partsOf(outcome);
  const names = Object.keys(settings).map((path) => path.split(".")[0] ?? "");
  const own = names.filter((name) => name !== "receiver").map((name) => [name, SHOWN[name]]);
  const shown = {
    settings: Object.fromEntries(own),
    ...(names.includes("receiver") && { receiver: ANSWERS }),
    dialect: Object.fromEntries(Object.keys(switches).map((name) => [name, NORMAL[name]])) as DialectSettings,
  };
  const whole = { ...shown, settings: { ...shown.settings, ...constantsOf(settings) } };
  const finding = point.finding({ is, ...whole, dialect: { ...shown.dialect, ...constantsOf(switches) } });
  const { expressed, found, settings: written, receiver, dialect: played } = finding;
  // Each setting is a member that a node takes, and each switch one that the emulator has.
  expect(() => parseOptions(nodeSchema(), { endpoint: "https://192.0.2.10", ...written }, "node")).not.toThrow();
  expect(() => dialect(played as DialectSettings)).not.toThrow();
  const isWritten = Object.keys({ ...written, ...receiver }).length > 0;
  const isPlayed = Object.keys(played).length > 0;
  const code = exitCode({ findings: [finding], left: [] });
  expect({ expressed, isSeen: code === 4 }).toEqual({ expressed: outcome.as, isSeen: outcome.as === "beyond" });
  if (outcome.as === "setting") expect(isWritten).toBe(true);
  if (outcome.as === "dialect") expect({ isWritten, isPlayed }).toEqual({ isWritten: false, isPlayed: true });
  // As a client assumes without a setting, and as the emulator does without a switch.
  if (outcome.as === "contract") expect({ isWritten, played }).toEqual({ isWritten: false, played: same(played) });
  if (outcome.as !== "unknown") return;
  expect({ isWritten, isPlayed, isObserved: found === "observed" }).toEqual({
    ...{ isWritten: false, isPlayed: false, isObserved: false },
  });
});

test("a switch without a value expresses nothing: it is a line, and not a default", () => {
  const blank = EVERY.filter(
    ({ as, outcome }) => as === "dialect" && Object.values(partsOf(outcome).dialect).every((one) => one === MEASURED),
  );
  const findings = blank.map(({ point, is }) => point.finding({ is }));
  expect(findings.length).toBeGreaterThan(5);
  expect(findings.map((finding) => exitCode({ findings: [finding], left: [] }))).toEqual(findings.map(() => 4));
});

const [seen] = EVERY.filter(({ as }) => as === "beyond").map(({ point, is }) => point.finding({ is }));
const [failed] = POINTS.map((point) => point.finding({ is: "failed" }));
const LEFT = [{ where: "prefixset://edge/probe", prefixes: ["192.0.2.0/24"], remedy: "" }];

test("of several exit codes the highest holds", () => {
  const all = { findings: [failed, seen].flatMap((one) => one ?? []), left: LEFT, stopped: "it took too long" };
  const codes = [all, { ...all, left: [] }, { ...all, left: [], findings: [] }, { findings: [], left: [] }].map(
    exitCode,
  );
  expect(codes).toEqual([5, 4, 1, 0]);
});

const same = (played: object) => Object.fromEntries(Object.keys(played).map((name) => [name, NORMAL[name]]));
