import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { readOwn } from "../files/no-links";
import { LEAST_BYTES, markdown, parseFindings, parsePreview, type Report, reportOf, text } from "../report";
import { type CliIo, Ended, timeOf, UsageError } from "./cli-io";
import { namedFile } from "./failure";
import { pretty } from "./listing/output";
import { requireOwner, standardInput, wholeNumber } from "./option-values";
import { askMarks } from "./reporting/marks";
import { stackSettings } from "./reporting/stack-settings";

/** GitHub accepts 65 536 characters, and a platform may add some. */
const MOST_BYTES = 65_000;

interface Flags {
  readonly output: "markdown" | "text" | "json";
  readonly limit: number;
  readonly key?: string;
  readonly maxBytes: number;
  readonly link?: string;
  readonly marks?: boolean;
  readonly config?: string;
  readonly policies?: string;
}

const HELP = `
FILE is the output of "pulumi preview --json"; without it, or with "-", standard input is read. The report of a failed preview
is printed as well, and the exit code is 1.

With --policies the report includes the findings of policies/run, from the file that PACKETFILTER_POLICIES_REPORT named.

With --marks each node at which a set changes is asked for its marked sources. Its credentials are those of the stack's
configuration, as far as the preview or --config shows them, else those of the environment (PACKETFILTER_HEADERS for the
unnamed node). The report names nodes that cannot be asked.

Examples:
  pulumi preview --json | pulumi-packetfilter report
  pulumi-packetfilter report preview.json --key shop/production --link https://ci.example.com/runs/7
  pulumi-packetfilter report preview.json --output text
`;

export function register(program: Command, io: CliIo): void {
  program
    .command("report")
    .argument("[file]", 'output of "pulumi preview --json"; default: standard input')
    .addOption(
      new Option("--output <form>", "form of the report").choices(["markdown", "text", "json"]).default("markdown"),
    )
    .option(
      "--limit <number>",
      "prefixes shown of each list, in markdown and text",
      wholeNumber("--limit", 1, 100_000),
      20,
    )
    .option("--key <text>", "text of the hidden first line, to find the comment again; default: project/stack")
    .option(
      "--max-bytes <number>",
      `most bytes of the markdown, ${LEAST_BYTES} to ${MOST_BYTES}`,
      wholeNumber("--max-bytes", LEAST_BYTES, MOST_BYTES),
      60_000,
    )
    .option("--link <url>", "address of the whole preview")
    .option("--policies <file>", "findings of the policies, from PACKETFILTER_POLICIES_REPORT of policies/run")
    .option("--marks", "ask the nodes how many currently marked sources each change would cover")
    .option("--config <file>", 'output of "pulumi config --show-secrets --json", for nodes with credentials')
    .addHelpText("after", HELP)
    .action((file: string | undefined, flags: Flags, own: Command) => run(file, flags, own, io));
}

async function run(file: string | undefined, flags: Flags, command: Command, io: CliIo): Promise<void> {
  const { limit, maxBytes } = flags;
  const link = flags.link === undefined ? undefined : address(flags.link);
  if ((flags.key?.length ?? 0) > 200) throw new UsageError("--key is a text of 1 to 200 characters.");
  const preview = parsePreview(await content(file, io));
  requireOwner(command, ["--config"], "--marks", flags.marks);
  const policies = flags.policies === undefined ? undefined : parseFindings(await content(flags.policies, io));
  const planned = {
    ...reportOf(preview, timeOf(io), { byNode: flags.marks === true }),
    ...(policies && { policies }),
  };
  const report = flags.marks
    ? await askMarks(planned, await stackSettings(preview.config, flags.config, io), io)
    : planned;
  const key = flags.key ?? `${report.project}/${report.stack}`;
  io.out(printed(report, flags.output, { key, limit, maxBytes, link }));
  if (report.failed) throw new Ended("The preview failed: the report names its errors.", 1);
}

function printed(report: Report, output: Flags["output"], options: Parameters<typeof markdown>[1]): string {
  switch (output) {
    case "markdown":
      return markdown(report, options);
    case "text":
      return text(report, options.limit);
    case "json":
      return pretty(report);
  }
}

function content(file: string | undefined, io: CliIo): Promise<string> {
  if (file !== undefined && file !== "-") return namedFile(file, () => readOwn(resolve(io.folder ?? ".", file)));
  return standardInput(io, 'Name a file with the output of "pulumi preview --json", or pipe it to the command.');
}

/** The address for a link in a comment: http or https, and without credentials. */
function address(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    !url ||
    !["http:", "https:"].includes(url.protocol) ||
    url.username !== "" ||
    url.password !== "" ||
    url.href.length > 1_000
  )
    throw new UsageError(
      "--link is an address that begins with https://, without credentials, of at most 1000 characters.",
    );
  return url;
}
