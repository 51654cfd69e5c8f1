import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { checkSync as Check } from "recheck";
import ts from "typescript";
import { expect, test } from "vitest";

// The pure build runs everywhere and needs neither Java nor a binary.
const { checkSync } = createRequire(__filename)("recheck/lib/browser.js") as { checkSync: typeof Check };

const root = join(__dirname, "..");
const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "provider", "policies"];
const sources = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).trim().split("\n");

/** More than any takes on a quiet machine; what takes longer has its reason below. */
const TIMEOUT_MS = 20_000;

/**
 * Expressions that the checker cannot judge, since it knows no looking ahead or behind or gives up, each with the reason why
 * it takes linear time all the same.
 */
const JUDGED_BY_HAND: Readonly<Record<string, string>> = {
  "/^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$/":
    "anchored, and of a fixed form but for one run of digits",
  "/prefixset:\\/\\/[^\\s\"'<>,;()]+/g": "a fixed beginning, then one run up to a sign that ends it",
  "/^(?!-?\\d+$)[=+\\-@\\t\\r\\n＝＋－＠]/": "anchored: one run of digits, then one character",
  "/^((?:[a-z][a-z0-9+.-]{0,20}:)?\\/\\/[^/?#]*)?([^?#]*)(.*)$/is":
    "anchored, and each part ends at the first sign that it cannot hold",
  "/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?(?:-----END \\1-----|$)/gs":
    "what begins and does not end is taken to the end of the text, so that no second beginning is tried",
  "/^.*: (?=must be)/": "anchored, and looks ahead over a fixed text",
  "/(?<![0-9A-Fa-f.:])[0-9A-Fa-f.:]+(?:\\/\\d+)?/g":
    "begins only where no such run goes on, so that each run is read once",
  "/\\B(?=(\\d{3})+$)/g": "only for the digits of a number, at most sixteen",
  "/^(?:---|%YAML|- |(?:[0-9a-f.:]+\\/\\d+|[0-9.]+|\"[^\"]+\"|'[^']+'):(?:\\s|$))/i":
    "anchored, and of a fixed form but for one run that each alternative has",
  "/^(?: {200}| *(?:[-?:] +){50})/m":
    "at the beginning of each line at most 50 groups, each of one sign and a run of blanks",
  "/(?:-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)(?![\\w.])/y":
    "sticky: one number or word where it stands, and looks one character ahead",
  "/^(?!.*(?:^|:)0[0-9a-f])[0-9a-f:]+$/": "anchored, and looks ahead over the text once",
  '/;\\s*rel="?[^";,]*\\bnext\\b/i': "begins at a sign that ends what the one before could take",
  "/^(s_)?(true|ok|okay|fine|done|none|success\\w*|succe\\w+|created|accepted|applied|committed|inserted|updated|deleted|complete\\w*|no[ _]?error)$/i":
    "anchored: alternatives of fixed words, each with at most one run behind it",
  "/ lacks | holds (?:another|other|[\\d ]+undeclared) | not active \\(|active already, and adopted|: it leaves the group, and /":
    "alternatives of fixed words, of which one has a run of digits and blanks in which it cannot begin anew",
  "/^(\\s*):(?=:(?![\\da-f:./]*(?:\\s|$)))/i": "anchored: one run of blanks, then looks ahead over one run",
  "/^\\s*[[{](?![0-9a-f]*:[0-9a-f:.]*\\])/i":
    "anchored: one run of blanks, then looks ahead over two runs with a colon between",
  "/<(\\w+)>[^<>]{1,40}<\\/\\1>/g": "begins at a sign that no part of it can hold, and each part ends at one",
  "/(?<![\\d.eE+-])-?\\d{16,}(?![\\d.eE])/g": "begins only where no such run goes on, and looks one character ahead",
  "/^(?!(?:\\d+|false|no|none|never|null|-)$)./i":
    "anchored: looks ahead over a fixed word or one run of digits, then one character",
  "/(?<!\\b(?:no|not|none|0)(?: \\w{1,20})? )\\b(?:partial(?:ly)?|incomplete|truncated|omitted)\\b(?![\"']?\\s*[:=]\\s*[\"']?(?:no|false|none|0)\\b)|\\b(?:continue[sd]?|next page|first \\d+|[1-9]\\d* more|cut (?:at|off|after|short)|limit(?:ed)? (?:reached|exceeded|to (?:the )?(?:first )?\\d+))\\b/i":
    "looks back over at most two words, and ahead over one run of blanks behind a fixed word",
  "/\\b(no|nothing|none)( (is|are|currently|cloud|signall?ings?|ip|prefix(es)?|mitigations?|diversions?|entry|entries)){0,6} active\\b(?=[^a-z]*$| (cloud )?signall?ings?\\b| (ip )?prefix(es)?\\b)/i":
    "begins at a fixed word, has at most six of a few words to the next one, and looks ahead over one run without letters",
  "/\\bno( currently)? active (mitigations?|diversions?|entry|entries)(?=[^a-z]*$| (for|on|at|now|currently|found)\\b)/i":
    "begins at a fixed word, has at most 30 signs to the next one, and looks ahead over one run without letters",
};

/** Every expression literal of the sources, once, with the first place where it stands. */
function literals(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of sources.filter((file) => /\.tsx?$/.test(file))) {
    const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const source = ts.createSourceFile(
      file,
      readFileSync(join(root, file), "utf8"),
      ts.ScriptTarget.Latest,
      true,
      kind,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && !found.has(node.text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.set(node.text, `${file}:${line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

test("no expression takes more than linear time, whatever text it meets", { timeout: 300_000 }, () => {
  const all = literals();
  expect(all.size).toBeGreaterThan(200);
  const slow: string[] = [];
  for (const [text, place] of all) {
    if (text in JUDGED_BY_HAND) continue;
    const end = text.lastIndexOf("/");
    const options = { checker: "automaton", timeout: TIMEOUT_MS } as const;
    const judged = checkSync(text.slice(1, end), text.slice(end + 1), options);

    const isLinear = judged.status === "safe" && /^(safe|linear)$/.test(judged.complexity.type);
    if (!isLinear) slow.push(`${place} ${text}: ${judged.status}`);
  }
  expect(slow).toEqual([]);
  expect(Object.keys(JUDGED_BY_HAND).filter((text) => !all.has(text))).toEqual([]);
});
