import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { useEmptyFolder } from "../support/folder";
import { MAKES, type Make } from "../support/makes";
import { run } from "./support";

const folder = useEmptyFolder();

test.each(Object.keys(MAKES) as Make[])(
  "a node of the make %s has the settings that a probe finds for it",
  async (make) => {
    // No marks: their lists would have to wait for their pace.
    const state = { arenas: { edge: { sets: { probe: {} }, profiles: {} } } };
    await using node = await startEmulator({ state, dialect: make });
    const args = ["probe", "prefixset://edge/probe", "--write", "--out", "node.json"];
    const ended = await run(args, { folder, env: { PACKETFILTER_ENDPOINT: node.endpoint } });
    const written = JSON.parse(await readFile(join(folder, "node.json"), "utf8"));
    expect([ended.code, ended.err, written.node]).toEqual([0, "", MAKES[make]]);
  },
);
