import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import * as policies from "../../policies/index";
import * as client from "../../provider/client";
import * as emulator from "../../provider/emulator";
import * as program from "../../provider/index";
import * as prefixes from "../../provider/prefixes";
import { type Example, examplesOf } from "./examples";
import { entryPoints, root } from "./surface";

/** Examples that need no engine: `./provider` is run by engine tests, forwarders by tests of their own. */
const MODULES: Readonly<Record<string, object>> = {
  ".": program,
  "./client": client,
  "./emulator": emulator,
  "./prefixes": prefixes,
  "./policies": policies,
};

/** Those that show what is thrown, and with which words it begins. */
const THROWN: Readonly<Record<string, string>> = {
  "./client Prefix": 'PrefixError: "192.0.2.1/24" has host bits set',
  "./client OptionsError": "OptionsError: Options of the node: `endpoint` must begin with http:// or https://.",
  "./emulator UnmetFaultError": "UnmetFaultError: A fault was never met",
  "./emulator UnknownResource": "UnknownResource: There is no prefix-set prefixset://edge/bloked",
  "./emulator ExpectationError": 'ExpectationError: Expected 1 request with cmd "commit"; none came.',
  "./emulator StateError": "StateError: The state is not valid: arenas.edge.sets.blocked.192.0.2.1/24",
};

/**
 * Those that run tests of vitest (`test/emulator/fixtures.long.test.ts`), or are a program of Pulumi: engine tests run resources and read
 * functions (`test/e2e/`), and `test/e2e/test-your-program.long.test.ts` whole programs.
 */
const ELSEWHERE =
  /runProgram\(|emulatorFixtures\(|new (?:PrefixSet|CloudSignaling|Provider)\w*\(|\bget[A-Z]\w+\(|\bconfig\.require/;

let examples: Example[];
beforeAll(() => {
  examples = examplesOf(root, entryPoints).filter(({ name }) => (name.split(" ")[0] ?? "") in MODULES);
}, 240_000);

/** The text with the emulator in place of addresses, and lists of the examples in place of files. */
function placed(text: string, { endpoint, signalingUrl, control }: emulator.Emulator): string {
  return text
    .replaceAll(/https?:\/\/192\.0\.2\.10(:8080)?/g, endpoint)
    .replaceAll("https://signal.example.net/path", signalingUrl)
    .replaceAll("http://127.0.0.1:41235", control)
    .replaceAll(/"(?:lists\/)?(\w+\.json)"/g, `"${root}/examples/block-lists/lists/$1"`);
}

/** Names that readers have at hand. */
function atHand(running: emulator.Emulator): Readonly<Record<string, unknown>> {
  const meta = { kind: "PrefixSet", urn: "urn", name: "blocked", protect: false } as const;
  const resource = policies.readResource(meta, { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });
  return {
    z,
    client: new client.NodeClient({ endpoint: running.endpoint }),
    config: policies.parsePolicyConfig({}, policies.rules),
    emulator: running,
    entries: [],
    error: new Error("of another kind"),
    meta,
    ourOwnPolicy: {},
    PolicyPack: class {},
    Prefix: client.Prefix,
    PrefixSet: class {},
    prefixes: ["198.51.100.7"],
    properties: {},
    resource,
    rule: policies.maxLifetime,
    secretKey: running.info().clients.at(0)?.secretKey,
    set: { kind: "prefixset", arena: "edge", set: "blocked" },
    sets: [],
    text: "192.0.2.7",
    urn: "urn",
  };
}

/** Runs an example as the body of an async function, and says how it ends. */
async function outcomeOf({ text, given }: Example, running: emulator.Emulator): Promise<string> {
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(placed(text, running), { compilerOptions: options });
  const hand = atHand(running);
  const missing = given.filter((name) => !(name in hand));
  if (missing.length > 0) return `nothing stands for ${missing}`;
  const body = `return (async () => {${outputText}\n})()`;
  const load = (name: string) => MODULES[name.replace(/^pulumi-packetfilter/, ".")];
  try {
    await new Function("require", "exports", ...given, body)(load, {}, ...given.map((name) => hand[name]));
    return "ends";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

test("every example that needs no engine runs, and ends or throws as it says", async () => {
  const runnable = examples.filter(({ text }) => !ELSEWHERE.test(text));
  expect(runnable.length).toBeGreaterThan(55);
  const wrong: string[] = [];
  for (const example of runnable) {
    await using running = await emulator.startEmulator();
    const outcome = await outcomeOf(example, running);
    if (!outcome.startsWith(THROWN[example.name] ?? "ends")) wrong.push(`${example.name}: ${outcome}`);
  }
  expect(wrong).toEqual([]);
  expect(Object.keys(THROWN).filter((name) => !runnable.some((one) => one.name === name))).toEqual([]);
});
