import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";
import { guide } from "../support/guide";
import { MAKES } from "../support/makes";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { mutations } from "./support/world";

it("what several nodes hold is imported as a group where it is equal, and the preview after it is empty", async () => {
  const state = (value: number) => ({
    arenas: { edge: { sets: { blocked: { "192.0.2.0/24": value }, partners: { "198.51.100.4/32": 7 } } } },
  });
  await using fra1 = await startEmulator({ state: state(1) });
  await using ber1 = await startEmulator({ state: state(2) });
  const nodes = { fra1: { endpoint: fra1.endpoint }, ber1: { endpoint: ber1.endpoint } };
  await using stack = await TestStack.create({
    program: "",
    language: "typescript",
    config: { nodes: JSON.stringify(nodes) },
  });
  const sets = ["prefixset://edge/blocked", "prefixset://edge/partners"];
  const made = await run(["import", ...sets, "--all-nodes", "--as", "group", "--out", "all"], {
    folder: stack.folder,
    env: { PULUMI_STACK: "test" },
  });
  expect(made.code, made.err).toBe(0);
  await stack.write("index.ts", 'import "./all";\n');
  await stack.must("import", "--file", `${stack.folder}/all/import.json`, "--yes", "--generate-code=false");
  await stack.must("preview", "--refresh", "--expect-no-changes");
  expect([...mutations(fra1), ...mutations(ber1)]).toEqual([]);
  expect(Object.keys(await stack.state()).sort()).toEqual(["edge-blocked-ber1", "edge-blocked-fra1", "edge-partners"]);
});

guide(
  "import.md",
  "sets of a node of another make and what is active are taken over, and the preview after it is empty",
  async (guide) => {
    const profiles = {
      web: { sets: { partners: { "192.0.2.4/32": 7 } } },
      clean: { prefixes: ["198.51.100.0/24"] },
    };
    const sets = { blocked: { "198.51.100.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 } };
    await using emulator = await startEmulator({ state: { arenas: { edge: { sets, profiles } } }, dialect: "seed:34" });
    const { clientId = "", secretKey = "" } = emulator.clients[0] ?? {};
    emulator.signal(clientId, { start: ["198.51.100.7"] });
    await using stack = await TestStack.create({
      program: "",
      language: "typescript",
      env: TYPES_ARE_CHECKED,
      withPassphrase: true,
      config: { endpoint: emulator.endpoint, signalingUrl: emulator.signalingUrl, clientId, node: MAKES["seed:34"] },
      secrets: { secretKey },
    });
    guide.at({ ...stack.place, instead: { "https://192.0.2.10": emulator.endpoint } });
    await guide.next("pulumi-packetfilter import");
    await stack.write("index.ts", await stack.read("imported/index.ts"));
    await guide.next("pulumi import");
    expect(Object.keys(await stack.state()).sort()).toEqual(["edge-blocked", "edge-web-partners", "signaling"]);
    expect(mutations(emulator)).toEqual([]);
  },
);
