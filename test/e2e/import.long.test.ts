import { expect, it } from "vitest";
import { Prefix, SignalingClient } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";
import { guide } from "../support/guide";
import { MAKES } from "../support/makes";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { mutations } from "./support/world";

/** Ten thousand hosts, a default route, IPv6 and values of all sizes. */
const large = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, index): [string, number] => [`10.${index >> 8}.${index & 255}.0/24`, index + 1]),
);

it("import writes state and program, and the preview after it is empty", async () => {
  await using emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: { "192.0.2.0/24": 1, "2001:db8::/32": 4_294_967_295, "0.0.0.0/0": 9 }, large, empty: {} },
          profiles: {
            web: { sets: { blocked: { "203.0.113.7/32": 2, "2001:db8::7/128": 3 } } },
            clean: { prefixes: ["198.51.100.0/24"] },
          },
        },
      },
    },
  });
  const [client] = emulator.clients;
  if (!client) throw new Error("the emulator has a client");
  const { clientId, secretKey } = client;
  const receiver = new SignalingClient({ url: emulator.signalingUrl, clientId, secretKey });
  await receiver.start([Prefix.parse("198.51.100.7"), Prefix.parse("198.51.100.64/26")]);
  await receiver.close();
  await using stack = await TestStack.create({
    program: "",
    language: "typescript",
    config: { endpoint: emulator.endpoint, signalingUrl: emulator.signalingUrl, clientId },
    secrets: { secretKey },
  });
  const surroundings = {
    folder: stack.folder,
    env: {
      PACKETFILTER_ENDPOINT: emulator.endpoint,
      PACKETFILTER_SIGNALING_URL: emulator.signalingUrl,
      PACKETFILTER_CLIENT_ID: clientId,
      PACKETFILTER_SECRET_KEY: secretKey,
    },
  };
  const before = mutations(emulator).length;
  const sets = ["blocked", "large", "empty"].map((set) => `prefixset://edge/${set}`);
  const whole = await run(["import", ...sets, "--signaling", "--out", "sets"], surroundings);
  expect(whole.code, whole.err).toBe(0);
  const single = await run(["import", "prefixset://edge/web/blocked", "--as", "entries", "--out", "one"], surroundings);
  expect(single.code, single.err).toBe(0);

  await stack.write("index.ts", 'import "./sets";\nimport "./one";\n');
  for (const folder of ["sets", "one"]) {
    await stack.must("import", "--file", `${stack.folder}/${folder}/import.json`, "--yes", "--generate-code=false");
  }
  const preview = await stack.preview("--refresh", "--expect-no-changes");
  expect(preview.code, preview.text).toBe(0);
  expect(preview.stdout).toContain("7 unchanged");
  expect(mutations(emulator).slice(before)).toEqual([]);
  expect(Object.keys(await stack.state()).sort()).toEqual([
    "edge-blocked",
    "edge-empty",
    "edge-large",
    "edge-web-blocked-2001-db8--7/128",
    "edge-web-blocked-203.0.113.7/32",
    "signaling",
  ]);
});

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
  const preview = await stack.preview("--refresh", "--expect-no-changes");
  expect(preview.code, preview.text).toBe(0);
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
