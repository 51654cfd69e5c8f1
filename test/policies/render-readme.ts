import { z } from "zod";
import { policyConfigSchema } from "../../policies/config/schema";
import { REGISTRY_DATE } from "../../policies/data/iana-blocks";
import { isResourceRule, type Rule } from "../../policies/rule";
import { messagesOf } from "./support";

/** The message that the example of a rule gives. */
export function exampleMessage(rule: Rule): string {
  const { config = {}, settings = {}, resources, ...more } = rule.example;
  const [first = ""] = messagesOf(rule, resources, {
    ...more,
    config: { ...config, rules: { [rule.name]: settings } },
  });
  return first;
}

/** The schema of `packetfilter-policies.yaml` as JSON Schema, for editors. */
export function jsonSchema(rules: readonly Rule[]): object {
  const schema = z.toJSONSchema(policyConfigSchema(rules), { io: "input" });
  return {
    title: "packetfilter-policies.yaml",
    description: "What the policies of pulumi-packetfilter judge by.",
    ...schema,
  };
}

/** `policies/README.md`, made from the rules. */
export function renderReadme(rules: readonly Rule[], parts: { yaml: string; policyConfig: string }): string {
  const rows = rules.map((rule) => {
    const scope = isResourceRule(rule) ? "resource" : "stack";
    const level = rule.level === "mandatory" ? "**mandatory**" : rule.level;
    const needs = rule.needs.map((need) => `\`${need === "role" || need === "direction" ? `sets[].${need}` : need}\``);
    const settings = Object.entries(rule.config.shape).map(
      ([name, member]) => `\`${name}\`: ${(member as z.ZodType).description ?? ""}`,
    );
    const config = [needs.length > 0 ? `needs ${needs.join(", ")}` : "", ...settings, ...sharedPaths(rule)];
    const cells = [
      `\`${rule.name}\``,
      `${level}, ${scope}`,
      rule.description,
      config.filter((part) => part !== "").join("<br>") || "—",
      exampleMessage(rule),
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return `${HEAD}
## The policies

| policy | level | what it demands | configuration | example message |
|---|---|---|---|---|
${rows.join("\n")}

${configuration(parts)}`;
}

function sharedPaths(rule: Rule): string[] {
  const needed: readonly string[] = rule.needs;
  const shared = rule.configure.filter((path) => !path.startsWith("rules.") && !needed.includes(path));
  return shared.length > 0 ? [`by ${shared.map((path) => `\`${path}\``).join(", ")}`] : [];
}

const HEAD = `<!-- Made from the policies by test/policies/generated.test.ts: change them, then run "npx vitest run test/policies/generated.test.ts -u". -->

# Policies for prefix-sets and cloud signalings

CIDR rules that stop a mistake in review. Nothing to set up:

\`\`\`sh
pulumi preview --policy-pack node_modules/pulumi-packetfilter/policies
\`\`\`

Where the Node language host cannot run pack folders, the executable form does the same:

\`\`\`sh
pulumi preview --policy-pack node_modules/pulumi-packetfilter/policies/run
\`\`\`

Mandatory policies fail the preview, advisory ones warn. Mandatory is what endangers traffic: management or owned prefixes among
blocked sources, special-purpose ranges in an allow set, prefix lengths, signaling of what is not yours. Policies judge what the
program declares, not when: nothing that passes today fails tonight because time went by.
`;

function configuration({ yaml, policyConfig }: { yaml: string; policyConfig: string }): string {
  return `## Configuration

What sets and prefixes mean is said once, in \`packetfilter-policies.yaml\` in the folder of the program (beside \`Pulumi.yaml\`), or in the
file that \`PACKETFILTER_POLICIES\` names. The former may be a link within the checkout, the latter any file. A block set holds bogons on purpose, an allow set must not; sources are judged otherwise
than destinations. A policy that needs a role which a set does not have says "not configured for this set" once, and does not guess.

\`\`\`yaml
${yaml.trim()}
\`\`\`

- In patterns \`*\` stands for anything within one name and \`**\` for anything; the first pattern that matches a set counts.
- What binds sets, the patterns of \`sets\`, \`rails\` and \`allowed\`, is compared without regard to case. A pattern without a profile, as
  \`prefixset://*/blocked\`, is for the local sets of that name as well, in every profile: write a pattern for the local set itself before it. What lifts a
  rule, \`exceptions\` and \`except\`, is taken to the letter: there such a pattern is for the global set only.
- \`unknownSets: mandatory\` makes a set for which no pattern gives a role a failure. Without it a set under an unforeseen name is judged by few
  rules, and the notice is all that tells. \`blast-radius: mandatory\` stops a list that would block half the Internet, however it is cut into prefixes.
- An IPv6 prefix in \`64:ff9b::/96\`, \`64:ff9b:1::/48\`, \`2002::/16\` or \`::/96\` stands for IPv4 prefixes, since translators and tunnels carry its traffic to
  them. It counts as them where prefixes are protected, and so does a prefix that holds one of these ranges. \`forbiddenPrefixes\` reads them likewise.
- \`exceptions\` set a rule aside for a prefix and those within it, for sets, or for both, up to and including the day \`until\`. One that has ended is
  reported: the finding comes back as a warning that names it, or as a failure with \`expiredExceptions: mandatory\`. An exception for a prefix or set is refused where no finding of the rule has one.
- \`emergency: INC-4711\`, or \`PACKETFILTER_POLICIES_EMERGENCY=INC-4711\` for one run, turns mandatory into advisory; every message names it.
- Editors check the file by \`packetfilter-policies.schema.json\`; a file that is not as it says stops the preview with the path of each mistake.

Levels and settings of single policies can also be given with \`--policy-pack-config\`; they count over those of the file:

\`\`\`json
${policyConfig.trim()}
\`\`\`

\`{ "all": "advisory" }\` gives all policies one level, those that the file switches off too, save where a policy's own line says otherwise. The levels are \`mandatory\`, \`advisory\`, \`disabled\`, and for \`organisation-rails\` \`remediate\`.

A member replaces that member of the file as a whole, as in every policy pack: beside the \`ipv4\` above, a \`longest\` in the file's \`ipv4\` does not count.

## Remediation

\`organisation-rails\` at the level \`remediate\` puts into resources what they lack of its \`rails\`: forbidden and required prefixes are added to the
resource's own, limits are set where they are absent or looser. Entries are never touched, nothing is removed, and the plan shows every property
that was put in. A remediation comes after the resource's own check, so the policy itself says in the preview which entries break what it put in.

A node may hold more or fewer entries than the program declares. So neither a share keeps to a number, nor a number of more than 20 to a share other
than \`"100%"\`. Where both meet, in the program or in rails, 20 is put in: removals and changes of so many entries are always allowed. Write the share of the rail
into the program to allow more. \`maxRemovals\` of a single node of a group is reported, and not replaced.

## Findings for a report

The engine's JSON has nothing of what policies say. So the pack writes it to the file that \`PACKETFILTER_POLICIES_REPORT\` names, and the report of the change shows it:

\`\`\`sh
export PACKETFILTER_POLICIES_REPORT=policies.ndjson
pulumi preview --json --policy-pack node_modules/pulumi-packetfilter/policies/run > preview.json
pulumi-packetfilter report preview.json --policies policies.ndjson
\`\`\`

One JSON object a line, as \`schemas/policy-finding.schema.json\` in the package says; the first line says that the pack has started. Levels are those of the file:
what \`--policy-pack-config\` changes of them, the engine does not tell. \`policies/run\` takes \`--policies FILE\` and \`--report FILE\` in place of the two variables,
for a file of your own that the engine starts: \`exec …/policies/run --policies FILE "$@"\`. So a review can judge by the file of the target branch.

## Unknown values, secrets

What a preview cannot know yet is left for the update, policy by policy: the one that needs it says so, the others judge. Messages never hold a value of
\`node\` or \`receiver\`, nor a reason or ticket. They hold prefixes, unless these are secret: then offenders are counted and none is named, and a policy
of whole stacks names none as soon as one resource of the stack keeps its prefixes secret. A pack sees that by the property \`secretPrefixes\`.

## A pack of your own

\`\`\`ts
import { PolicyPack } from "@pulumi/policy";
import { policiesOf, rules } from "pulumi-packetfilter/policies";

new PolicyPack("ours", { policies: policiesOf([...rules, ownRule]) });
\`\`\`

An executable file beside the pack's \`package.json\` starts it where no pack folder is taken, as \`policies/run\` starts ours:

\`\`\`js
#!/usr/bin/env node
require("pulumi-packetfilter/policies").startPack(__dirname);
\`\`\`

\`examples/policy-own-pack\` in the repository adds a rule, \`examples/policy-infra-repo\` configures the pack for stacks of one repository.

## Special-purpose addresses

The ranges are those of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) as updated on ${REGISTRY_DATE}, and the two multicast
blocks. A range that the registry calls globally reachable counts as any other address.
`;
}
