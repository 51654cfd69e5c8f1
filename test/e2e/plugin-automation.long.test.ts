import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { native, set } from "./support/native";
import { BLOCKED, world } from "./support/world";

const ENTRIES = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
/** As a service would: every operation through `LocalWorkspace`, each with what it answered as one line. */
const SERVICE = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
(async () => {
  const stack = await LocalWorkspace.selectStack({ stackName: "test", workDir: __dirname });
  const say = (value) => console.log(JSON.stringify(value));
  say((await stack.preview()).changeSummary);
  const up = await stack.up();
  say({ outputs: up.outputs.url.value, changes: up.summary.resourceChanges });
  say((await stack.preview({ expectNoChanges: true })).changeSummary);
  say((await stack.refresh()).summary.result);
  say((await stack.exportStack()).deployment.resources.map(({ type }) => type));
  say((await stack.destroy()).summary.resourceChanges);
})();
`;

it("the Automation API previews, brings up, refreshes and destroys native resources", async () => {
  await using w = await world({ program: native(set(ENTRIES)) });
  const { emulator, stack } = w;
  await stack.write("service.cjs", SERVICE);
  const { stdout } = await promisify(execFile)(process.execPath, ["service.cjs"], {
    cwd: stack.folder,
    env: stack.place.env,
  });
  const said = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(said).toEqual([
    { create: 3 },
    { outputs: BLOCKED, changes: { create: 3 } },
    { same: 3 },
    "succeeded",
    expect.arrayContaining(["pulumi:providers:packetfilter", "packetfilter:index:PrefixSet"]),
    { delete: 3 },
  ]);
  expect(emulator.requests({ cmd: "commit" })).toHaveLength(2);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
});
