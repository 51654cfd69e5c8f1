import { expect, test } from "vitest";
import { withoutComments, withTabs } from "../../tools/lib/comments.mjs";

test.each([
  ["lines of its own", "/** A. */\nlet a;\n  // b\n  let c;\n/*\n * d\n */\n", "let a;\n  let c;\n"],
  ["one behind code", "let a; // b\nlet c; /* d */\n", "let a;\nlet c;\n"],
  ["one between words, which stay apart", "return/* a */b;\n", "return b;\n"],
  ["one with a line break, after which a statement is over", "return /*\n*/ b;\n", "return \n b;\n"],
  ["two in a line", "/* a */ /* b */\nlet c;\n", "let c;\n"],
  [
    "the second line, and keeps a first one that names an interpreter",
    "#!/bin/a //b\n// c\nlet d;\n",
    "#!/bin/a //b\nlet d;\n",
  ],
  ["the last line", "let a;\n// b", "let a;\n"],
])("a program loses %s", (_, text, bare) => {
  expect(withoutComments("a.js", text)).toBe(bare);
});

test.each([
  ["texts", 'const a = "http://b", c = `// d\n/* e */`;\n'],
  ["regular expressions", "const a = /\\/\\*[/*]/, b = a / /\\/\\//.c;\n"],
])("it keeps %s", (_, text) => {
  expect(withoutComments("a.js", text)).toBe(text);
});

test("one that cannot be read is named", () => {
  expect(() => withoutComments("a.js", "let = ; // b")).toThrow("a.js: ");
});

test("lines begin with a tab for each four blanks, but not within the text of a template", () => {
  const text = `if (a) {\n    b(\`\n    c \${d(\n        e)}\n    f\`);\n      g();\n}\n`;
  const bare = `if (a) {\n\tb(\`\n    c \${d(\n\t\te)}\n    f\`);\n\t  g();\n}\n`;
  expect(withTabs("a.js", text)).toBe(bare);
});
