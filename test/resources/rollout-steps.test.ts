import { expect, it } from "vitest";
import { HurriedWorld } from "../failures/support/hurried-world";
import { type Config, ProviderProcess } from "../failures/support/provider-process";
import { A, B, filled, group, NODES, URL, WAVES } from "./support/group-bench";

const [OLD, NEW] = [{ [A]: 1 }, { [A]: 1, [B]: 1 }];
const WITHOUT = { rollout: undefined };

it("PACKETFILTER_ALLOW_WAVE takes the wave of its set as passed, for one run", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  const allowing = (url: string) => ({
    start: async (config: Config) => new ProviderProcess(config, new HurriedWorld(), { PACKETFILTER_ALLOW_WAVE: url }),
  });
  expect((await waves.up(NEW, {}, allowing("prefixset://edge/other"))).error).toContain("wave 1 of 3 (lab1) did not");
  expect(waves.held()).toMatchObject({ fra1: OLD, ams1: OLD });
  waves.doctor.asked();
  expect((await waves.up(NEW, {}, allowing(URL))).error).toBe("");
  expect(waves.doctor.asked()).toEqual(["fra1", "ams1"]);
  expect(waves.held()).toEqual({ lab1: NEW, fra1: NEW, ams1: NEW });
  expect((await waves.up(OLD)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
});

it("maxUnreachable counts over all waves: so many silent nodes are gone on without, one more is red", async () => {
  await using waves = await filled();
  waves.node("lab1").fail({ every: 1, kind: "reset" });
  const one = await waves.up(NEW, { maxUnreachable: 1 });
  expect(one.error).toBe("");
  expect(one.printed.join("\n")).toContain(`Set ${URL} on lab1: it is left as it is, since the node does not answer`);
  expect(waves.held()).toEqual({ lab1: OLD, fra1: NEW, ams1: NEW });
  expect(waves.doctor.asked()).toEqual(["fra1", "ams1"]);
  expect(waves.outputs()).toMatchObject({ unreached: ["lab1"] });

  waves.node("fra1").fail({ every: 1, kind: "reset" });
  const two = await waves.up({ [B]: 1 }, { maxUnreachable: 1 });
  expect(two.error).toContain("2 nodes do not answer, and maxUnreachable allows 1");
  expect(two.error).toContain("wave 2 of 3 (fra1) did not pass: ");
  expect(waves.held()).toEqual({ lab1: OLD, fra1: NEW, ams1: NEW });
});

it("a pause follows each wave, before its check, and none the last wave without a check", async () => {
  await using waves = await filled({ pauseMs: 90_000 });
  const events: string[] = [];
  const watched = () => {
    const world = new HurriedWorld();
    const { sleep } = world;
    world.sleep = (ms, signal) => {
      if (ms === 90_000) events.push("pause");
      return sleep(ms, signal);
    };
    return { world };
  };
  waves.doctor.onAsked = (node) => events.push(node);
  const { error, printed } = await waves.up(NEW, {}, watched());
  expect(error).toBe("");
  expect(events).toEqual(["pause", "lab1", "pause", "fra1", "pause", "ams1"]);
  expect(printed).toContain(`Set ${URL}: wave 1 of 3 is written; its pause is 90 s.`);
  events.length = 0;
  expect((await waves.up({ [B]: 1 }, { rollout: { waves: WAVES, pauseMs: 90_000 } }, watched())).error).toBe("");
  expect(events).toEqual(["pause", "pause"]);
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW, {}, watched())).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  const back = await waves.up({ [B]: 1 }, {}, watched());
  expect(back.printed).toContain(`Set ${URL}: nodes went back to the entries that they had before; the pause is 90 s.`);
});

it("Ctrl-C while a check is not answered ends the run before the next wave; state and message say what is done", async () => {
  await using waves = await filled({ checkTimeoutMs: 7_200_000 });
  waves.doctor.silent.add("lab1");
  let running: ProviderProcess | undefined;
  waves.doctor.onAsked = () => running?.runtime.cancel();
  const start = async (config: Config) => {
    running = new ProviderProcess(config);
    return running;
  };
  expect((await waves.up(NEW, {}, { start })).error).toMatch(
    /wave 1 of 3 \(lab1\) did not pass: .*the run was cancelled\. 2 nodes of later waves were not touched\./,
  );
  expect(waves.held()).toEqual({ lab1: NEW, fra1: OLD, ams1: OLD });
  expect(waves.outputs().rollout).toMatchObject({ wave: 1, of: 3, nodes: ["lab1"] });
});

it("a check that passes when it is tried again has passed", async () => {
  await using waves = await filled({ checkTimeoutMs: undefined });
  waves.doctor.ill.set("fra1", 503);
  let tries = 0;
  waves.doctor.onAsked = (node) => {
    if (node !== "fra1") return;
    tries += 1;
    waves.doctor.ill.clear();
  };
  expect((await waves.up(NEW)).error).toBe("");
  expect(tries).toBe(2);
});

it("a group that is replaced while it is red (--replace) is checked before anything else is written", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("fra1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
  // The engine tells the provider nothing of the state then: it asks for a create beside the old one, and for its delete later.
  const { engine } = waves;
  waves.replace();
  // A new content begins with the first wave, and stops at the node that is ill.
  for (const entries of [NEW, { [A]: 2 }]) {
    expect((await waves.up(entries)).error).toContain("(fra1) did not pass: ");
    expect(waves.held()).toMatchObject({ lab1: entries, ams1: OLD });
  }
  waves.doctor.ill.clear();
  expect((await waves.up(NEW)).error).toBe("");
  expect(waves.held()).toEqual({ lab1: NEW, fra1: NEW, ams1: NEW });
  expect(engine.state).toHaveLength(1);
});

it("what a replaced group alone declared leaves its nodes wave by wave, and stays behind a check that does not pass", async () => {
  await using waves = await filled();
  expect((await waves.up(NEW)).error).toBe("");
  waves.doctor.onAsked = () => {
    if (waves.held().lab1?.[B] === undefined) waves.doctor.ill.set("fra1", 503);
  };
  waves.replace();
  for (let run = 0; run < 2; run++) {
    const { error } = await waves.up(OLD, {}, { refresh: run === 0 });
    expect(error).toMatch(
      /^Set \S+: wave 2 of 3 \(fra1\) did not pass: GET \S+: HTTP 503\. What only the former group declared is still on ams1\. .*PACKETFILTER_ALLOW_WAVE/,
    );
    expect(waves.held()).toEqual({ lab1: OLD, fra1: OLD, ams1: NEW });
    expect(waves.engine.state).toHaveLength(2);
  }
  waves.doctor.onAsked = () => undefined;
  waves.doctor.ill.clear();
  expect((await waves.up(OLD)).error).toBe("");
  expect(waves.held()).toEqual({ lab1: OLD, fra1: OLD, ams1: OLD });
  expect(waves.engine.state).toHaveLength(1);
});

it("a group that is replaced while it is red, under a program without the check, is asked the check of its state", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  for (const [entries, refresh] of [
    [NEW, true],
    [{ [A]: 2 }, true],
    [OLD, true],
  ] as const) {
    waves.replace();
    const { printed } = await waves.engine.preview([group(entries, NODES)], { refresh });
    expect(printed.join("\n")).toContain(`${URL}: wave 1 of 3 (lab1) did not pass: GET `);
    const { error } = await waves.up(entries, WITHOUT, { refresh });
    expect(error).toMatch(/wave 1 of 3 \(lab1\) did not pass: GET \S+: HTTP 503\. .*PACKETFILTER_ALLOW_WAVE/);
    expect(waves.held()).toEqual({ lab1: NEW, fra1: OLD, ams1: OLD });
  }
  waves.doctor.ill.clear();
  expect((await waves.up(NEW, WITHOUT, { refresh: true })).error).toBe("");
  expect(waves.held()).toEqual({ lab1: NEW, fra1: NEW, ams1: NEW });
});

it("a group that was killed and is replaced then is asked the check of its state, though nothing says that it is red", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  await waves.killed(({ lab1 }) => lab1?.[B] !== undefined, NEW);
  expect(waves.outputs().rollout).not.toHaveProperty("reason");
  expect((await waves.up(NEW, WITHOUT)).error).toContain("wave 1 of 1 (lab1) did not pass: ");
  waves.replace();
  expect((await waves.up(NEW, WITHOUT, { refresh: true })).error).toContain("(lab1) did not pass: ");
  expect(waves.held()).toEqual({ lab1: NEW, fra1: OLD, ams1: OLD });
});

/** Another group beside the one with waves. */
const [C, OWN] = ["203.0.113.0/24", { "203.0.113.0/24": 1 }];
const SHARED = { exclusive: false };
const another = (entries: object, name: string, more: object = {}, nodes = NODES) => ({
  ...group(entries, nodes, { ...SHARED, ...more }),
  name,
});

it.each([false, true])(
  "a new group beside a red one of the same nodes is written, if that one goes on there: with --refresh %s",
  async (refresh) => {
    await using waves = await filled({}, undefined, SHARED);
    waves.doctor.ill.set("fra1", 503);
    const red = "wave 2 of 3 (fra1) did not pass: ";
    expect((await waves.up(NEW, SHARED)).error).toContain(red);
    const first = group(NEW, NODES, { rollout: waves.rollout, ...SHARED });
    const { errors } = await waves.engine.up([first, another(OWN, "second")], { refresh });
    const [error, ...others] = errors.map(({ message }) => message);
    expect([error, others]).toEqual([expect.stringContaining(red), []]);
    const both = { ...NEW, ...OWN };
    expect(waves.held()).toEqual({ lab1: both, fra1: both, ams1: { ...OLD, ...OWN } });
  },
);

it.each([
  ["takes over what has not passed", [OLD, NODES], [{ [B]: 1 }, NODES]],
  ["takes over the nodes that have not passed", [NEW, ["lab1"]], [NEW, ["fra1", "ams1"]]],
  ["takes over those nodes, with another content", [NEW, ["lab1"]], [OWN, ["fra1", "ams1"]]],
] as const)("a red group that is split does not pass its wave: the new part %s", async (_, [entries, nodes], part) => {
  await using waves = await filled({}, undefined, SHARED);
  waves.doctor.ill.set("fra1", 503);
  const red = "wave 2 of 3 (fra1) did not pass: ";
  expect((await waves.up(NEW, SHARED)).error).toContain(red);
  const rolling = (nodes: readonly string[]) => {
    const inWaves = WAVES.filter(([node = ""]) => nodes.includes(node));
    return { rollout: { ...waves.rollout, waves: inWaves } };
  };
  const first = group(entries, nodes, { ...rolling(nodes), ...SHARED });
  const second = another(part[0], "second", rolling(part[1]), [...part[1]]);
  const { errors } = await waves.engine.up([first, second]);
  expect(errors.map(({ message }) => message).join("\n")).toMatch(/\(fra1\) did not pass: /);
  expect(waves.held().ams1).toEqual(OLD);
});

it.each([
  ["its halves", { "198.51.100.0/25": 1, "198.51.100.128/25": 1 }],
  ["a wider prefix", { "198.51.0.0/16": 1 }],
])("what a red group gives up does not pass its wave as %s in a new group without waves", async (_, entries) => {
  await using waves = await filled({}, undefined, SHARED);
  waves.doctor.ill.set("fra1", 503);
  expect((await waves.up(NEW, SHARED)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
  const first = group(OLD, NODES, { rollout: waves.rollout, ...SHARED });
  const { errors } = await waves.engine.up([first, another(entries, "second")]);
  expect(errors.map(({ message }) => message).join("\n")).toMatch(/\(fra1\) did not pass: /);
  expect(waves.held().ams1).toEqual(OLD);
});

it("a group whose set gets another name while it is red is asked the check of its state before the new set is written", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  const next = { ...WITHOUT, set: "other" };
  expect((await waves.up(NEW, next)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  for (const node of NODES) expect(waves.node(node).prefixSet("prefixset://edge/other").applied).toEqual({});
  waves.doctor.ill.clear();
  expect((await waves.up(NEW, next)).error).toBe("");
  for (const node of NODES) expect(waves.node(node).prefixSet("prefixset://edge/other").applied).toEqual(NEW);
});

it("a group that is replaced or renamed while it is red, and of which the engine says nothing, does not go on in waves without a check", async () => {
  for (const name of ["blocked", "renamed"]) {
    await using waves = await filled();
    waves.doctor.ill.set("lab1", 503);
    expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
    if (name === "blocked") waves.replace();
    const up = async (entries: object) => {
      const { errors } = await waves.engine.up([{ ...group(entries, NODES, { rollout: { waves: WAVES } }), name }]);
      return errors.map(({ message }) => message).join("\n");
    };
    const said = await up(NEW);
    expect(said).toContain("nothing was written: lab1 holds what the program says, and ams1, fra1 hold something else");
    expect(said).toContain(
      `or run "pulumi up --refresh", which reads the state. PACKETFILTER_ALLOW_WAVE=${URL} counts`,
    );
    expect(waves.held()).toEqual({ lab1: NEW, fra1: OLD, ams1: OLD });
  }
});

it("what takes the place of a red group unseen leaves the run red, until the check of its state has passed", async () => {
  for (const name of ["blocked", "renamed"]) {
    await using waves = await filled();
    waves.doctor.ill.set("lab1", 503);
    expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
    if (name === "blocked") waves.replace();
    const program = [{ ...group({ ...NEW, "203.0.113.0/24": 1 }, NODES), name }];
    for (const effect of ["began to write", "wrote nothing of"]) {
      for (const node of Object.values(waves.nodes)) node.clearJournal();
      const { errors } = await waves.engine.up(program);
      const said = errors.map(({ message }) => message).join("\n");
      expect(said).toMatch(
        /^Set \S+: wave 1 of 3 \(lab1\) did not pass: GET \S+: HTTP 503\. .*PACKETFILTER_ALLOW_WAVE/,
      );
      expect(said).toContain(`This run ${effect} the replacement of the group`);
      const isWritten = Object.values(waves.nodes).some((node) => node.requests({ cmd: "insert" }).length > 0);
      expect(isWritten).toBe(effect === "began to write");
      expect(waves.engine.state).toHaveLength(2);
    }
    waves.doctor.ill.clear();
    expect(await waves.engine.up(program)).toMatchObject({ errors: [] });
    expect(waves.engine.state).toHaveLength(1);
  }
});

it("a red group that leaves the program is cleared, and no check is asked", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  waves.doctor.asked();
  expect(await waves.engine.up([])).toMatchObject({ errors: [] });
  expect(waves.doctor.asked()).toEqual([]);
  expect(waves.held()).toEqual({ lab1: {}, fra1: {}, ams1: {} });
});

it("a red group that leaves the program is cleared beside entries of other resources, and no check is asked", async () => {
  await using waves = await filled({}, undefined, SHARED);
  waves.doctor.ill.set("lab1", 503);
  const entry = {
    type: "PrefixSetEntry",
    name: "entry",
    args: { arena: "edge", set: "blocked", node: "lab1", prefix: C },
  } as const;
  const { errors } = await waves.engine.up([group(NEW, NODES, { rollout: waves.rollout, ...SHARED }), entry]);
  expect(errors.map(({ message }) => message).join("\n")).toContain("wave 1 of 3 (lab1) did not pass: ");
  waves.doctor.asked();
  expect(await waves.engine.up([entry])).toMatchObject({ errors: [] });
  expect(waves.doctor.asked()).toEqual([]);
  expect(waves.held()).toEqual({ lab1: OWN, fra1: {}, ams1: {} });
});

it.each([
  ["stays", OWN],
  ["exchanges its whole content", { "2001:db8::/32": 1 }],
])(
  "a red group that leaves the program is cleared beside another group that %s, and no check is asked",
  async (_, left) => {
    await using waves = await filled({}, undefined, SHARED);
    waves.doctor.ill.set("lab1", 503);
    const other = another(OWN, "second");
    const { errors } = await waves.engine.up([group(NEW, NODES, { rollout: waves.rollout, ...SHARED }), other]);
    expect(errors.map(({ message }) => message).join("\n")).toContain("wave 1 of 3 (lab1) did not pass: ");
    waves.doctor.asked();
    expect(await waves.engine.up([another(left, "second")])).toMatchObject({ errors: [] });
    expect(waves.doctor.asked()).toEqual([]);
    expect(waves.held()).toEqual({ lab1: left, fra1: left, ams1: left });
  },
);

it("a group that is red is cleared by a destroy, also where a program without a node of its waves restored something", async () => {
  await using waves = await filled();
  waves.doctor.ill.set("lab1", 503);
  expect((await waves.up(NEW)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
  waves.node("ams1").change(URL, { delete: [A] });
  const { errors } = await waves.engine.up([group(NEW, ["lab1", "ams1"])]);
  expect(errors.map(({ message }) => message).join("\n")).toContain("restore the former one");
  expect(await waves.engine.up([])).toMatchObject({ errors: [] });
  expect(waves.held()).toEqual({ lab1: {}, fra1: {}, ams1: {} });
});

it("Ctrl-C while losses are restored is red, and the next run restores the rest", async () => {
  await using waves = await filled();
  for (const node of NODES) waves.node(node).change(URL, { delete: [A] });
  let running: ProviderProcess | undefined;
  const start = async (config: Config) => {
    running = new ProviderProcess(config);
    return running;
  };
  waves.node("ams1").clearJournal();
  void waves
    .node("ams1")
    .waitForRequest({ cmd: "commit" })
    .then(() => running?.runtime.cancel());
  const { error } = await waves.up(OLD, { atOnce: 1 }, { start });
  expect(error).toMatch(/the run was cancelled\..* 2 (other )?nodes.* were not touched\./);
  expect(Object.values(waves.held()).filter((held) => held[A] === 1)).toHaveLength(1);
  expect((await waves.up(OLD, { atOnce: 1 })).error).toBe("");
  expect(waves.held()).toEqual({ lab1: OLD, fra1: OLD, ams1: OLD });
});

it("a silent node that needs nothing is not called unreached", async () => {
  await using waves = await filled();
  waves.node("fra1").fail({ every: 1, kind: "reset" });
  const nodes = { lab1: { entries: { [B]: 1 } }, fra1: {}, ams1: {} };
  const { errors } = await waves.engine.up([group(OLD, nodes, { rollout: waves.rollout, maxUnreachable: 1 })]);
  expect(errors).toEqual([]);
  expect(waves.outputs()).not.toHaveProperty("unreached");
});
