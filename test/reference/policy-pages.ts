import { stringify } from "yaml";
import type { z } from "zod";
import { rules } from "../../policies/index";
import { isResourceRule, type Rule } from "../../policies/rule";
import { exampleMessage } from "../policies/render-readme";

/** One page of all policies, a section each, from the rules. */
export function policyPages(): Record<string, string> {
  const about =
    "Rules of the pack in `policies/`, with their defaults. [The pack's README](../../policies/README.md) has the settings that all share. A rule that judges each PrefixSet judges what the nodes of a PrefixSetGroup hold, too.";
  return { policies: `# Policies\n\n${about}\n\n${rules.map(section).join("\n\n")}\n` };
}

function section(rule: Rule): string {
  const { config = {}, settings = {}, resources, stack } = rule.example;
  const members = Object.entries(rule.config.shape).map(
    ([name, member]) => `| \`${name}\` | ${((member as z.ZodType).description ?? "").replaceAll("|", "\\|")} |`,
  );
  const file = { ...config, ...(Object.keys(settings).length > 0 && { rules: { [rule.name]: settings } }) };
  const broken = resources.map(({ kind, name, inputs }) => ({ [`${kind} ${name}`]: inputs }));
  return [
    `## ${rule.name}`,
    `${rule.description} It judges ${isResourceRule(rule) ? `each ${rule.on.join(", ")}` : "the whole stack"}; its level is ${rule.level}${rule.needs.length > 0 ? `, and it needs ${rule.needs.map((need) => `\`${need}\``).join(", ")}` : ""}.`,
    members.length > 0 ? ["| Setting | Meaning |", "|---|---|", ...members].join("\n") : "",
    `Set by ${rule.configure.map((path) => `\`${path}\``).join(", ") || "nothing"}.${stack === undefined ? "" : ` The example has the stack \`${stack}\`.`}`,
    Object.keys(file).length > 0
      ? `With these settings\n\n\`\`\`yaml\n${stringify(file).trim()}\n\`\`\`\n\nthese resources`
      : "These resources",
    `\`\`\`yaml\n${broken.map((one) => stringify(one).trim()).join("\n")}\n\`\`\``,
    `give: ${exampleMessage(rule)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
