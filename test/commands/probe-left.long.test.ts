import { expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { type ActiveFault, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { run } from "./support";

const SET = "prefixset://edge/probe";

const folder = useFolder();

test.each([
  ["a node that died may hold", undefined],
  ["a node that died after Ctrl-C may hold, whose code 5 is higher", "SIGINT"],
] as const)(
  "the last lines name what %s, and the command that takes it back",
  async (_, signal) => {
    const isHeld = () => Object.keys(node.prefixSet(SET).applied).length > 0;
    let dead: ActiveFault | undefined;
    const stop = new AbortController();
    const onRequest = () => {
      if (!isHeld() || dead) return;
      dead = node.fail({ kind: "reset", times: 100_000 });
      if (signal) stop.abort(new Interrupted(signal));
    };
    await using node = await startEmulator({ state: { arenas: { edge: { sets: { probe: {} } } } }, onRequest });
    const reached = ["--endpoint", node.endpoint, "--timeout", "20s"];
    const { code, err } = await run(["probe", SET, "--write", "--out", "node.json", ...reached], {
      env: {},
      folder,
      stop: stop.signal,
    });
    dead?.remove();
    const [told = "", command = ""] = err.trimEnd().split("\n").slice(-2);
    const { applied, staged } = node.prefixSet(SET);
    const held = Object.keys({ ...applied, ...staged });
    const [, listed = ""] = / Left there, or on its way: (.*)\.$/.exec(told) ?? [];
    expect({ code, listed: listed.split(", ") }).toEqual({ code: 5, listed: expect.arrayContaining(held) });
    expect(held.length).toBeGreaterThan(0);
    expect(told).toContain(`Set ${SET} on ${node.endpoint} could not be cleaned up: `);
    const [, words = ""] = /^Once it answers again: pulumi-packetfilter (.*)$/.exec(command) ?? [];
    expect(words).toContain("--clean node.json.undo");
    expect(await run(words.split(" "), { env: {}, folder })).toMatchObject({ code: 0, err: "" });
    expect(node.prefixSet(SET)).toEqual({ applied: {}, staged: {} });
  },
  180_000,
);
