import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { PARSING } from "../../model/yaml";
import { isAbsent } from "../record-prefix";
import { type Edit, type EntryChange, edited, type Items, notEditable } from "./edit";

const MEMBERS = ["value", "reason", "ticket", "expires", "sent"] as const;

/**
 * The text of a YAML prefix file after an edit. Comments on lines of their own stay, even above a removed entry; a comment
 * after an entry is removed with it.
 */
export function editYaml(text: string, changes: Edit): string {
  // Loaded here, since most programs read no YAML.
  const yaml = require("yaml") as typeof import("yaml");
  const { isMap, isScalar, isSeq, parseDocument, YAMLMap: YamlMap } = yaml;
  const document: Document = parseDocument(text, { ...PARSING, intAsBigInt: true });
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    // Comments alone: they stay above the new entries.
    document.commentBefore = [document.commentBefore, document.comment].filter(Boolean).join("\n") || null;
    document.comment = null;
    document.contents = new YamlMap();
  }
  const { contents } = document;
  if (isMap(contents)) editMap(contents);
  else if (isSeq(contents)) editSequence(contents);
  else throw notEditable();
  const written = document.toString({
    lineWidth: 0,
    indent: indentationOf(text),
    flowCollectionPadding: isPadded(text),
  });
  return text.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written;

  function editMap(map: YAMLMap): void {
    if (map.items.length === 0) map.flow = false;
    if (map.items.some(({ key }) => !/[.:]/.test(String(key)))) throw notEditable();
    map.items = editItems(map, map.items, {
      prefixOf: ({ key }) => (isScalar(key) ? key.value : key),
      commentsOf: ({ key }) => (isScalar(key) ? key : undefined),
      changed: (pair, change) => Object.assign(pair, { value: changed(pair.value, change) }),
      added: (prefix, change) => document.createPair(prefix, plain({ value: 1, ...plain(change) })) as Pair,
    });
  }

  function editSequence(sequence: YAMLSeq): void {
    if (sequence.items.length === 0) sequence.flow = false;
    sequence.items = editItems(sequence, sequence.items as Node[], {
      prefixOf: (item) => (isMap(item) ? item.get("prefix") : isScalar(item) ? item.value : undefined),
      commentsOf: (item) => item,
      changed: (item, change) =>
        isMap(item)
          ? setMembers(item, change)
          : elementOf(document, isScalar(item) ? item.value : undefined, change, item),
      added: (prefix, change) => elementOf(document, prefix, change),
    });
  }

  function editItems<T>(collection: YAMLMap | YAMLSeq, items: T[], { commentsOf, ...how }: How<T>): T[] {
    let lines: string[] = [];
    let hasKept = false;
    const above = (comment: string | null | undefined) => (comment ? [comment] : []);
    const after = edited(items, changes, {
      ...how,
      passed: (item, now) => {
        const comment = above(commentsOf(item)?.commentBefore);
        const node = now && commentsOf(now);
        hasKept ||= now !== undefined;
        if (now === undefined) lines.push(...comment);
        else if (node && lines.length > 0) {
          node.commentBefore = [...lines, ...comment].join("\n");
          lines = [];
        }
      },
    });
    // No item follows: the comments end the list, or an empty document.
    if (lines.length > 0 && hasKept) collection.comment = [...lines, ...above(collection.comment)].join("\n");
    else if (lines.length > 0) document.commentBefore = [...above(document.commentBefore), ...lines].join("\n");
    return after;
  }

  function changed(content: unknown, change: EntryChange): unknown {
    if (isMap(content)) return setMembers(content, change);
    const value = isScalar(content) && !isAbsent(content.value) ? { value: Number(content.value) } : {};
    return commented(document.createNode(plain({ ...value, ...change })), content);
  }
}

interface How<T> extends Items<T> {
  commentsOf(item: T): { commentBefore?: string | null | undefined } | undefined;
}

function elementOf(document: Document, prefix: unknown, change: EntryChange, former?: Node): Node {
  const value = former ? {} : { value: 1 };
  const node = commented(document.createNode({ prefix, ...value, ...plain(change) }), former);
  if (former?.commentBefore) node.commentBefore = former.commentBefore;
  return node;
}

/** Puts the comment behind a former scalar behind the first member: behind the map, the next comment would join it. */
function commented(map: Node, former: unknown): Node {
  const [first] = (map as YAMLMap<unknown, Node>).items;
  if (first?.value) first.value.comment = (former as Node | null | undefined)?.comment;
  return map;
}

function setMembers(map: YAMLMap, change: EntryChange): YAMLMap {
  for (const name of MEMBERS) {
    const part = change[name];
    if (part === null) map.delete(name);
    else if (part !== undefined) map.set(name, part);
  }
  return map;
}

/** Members of a change in a fixed order, without absent ones. */
function plain(change: EntryChange): Record<string, string | number> {
  return Object.fromEntries(
    MEMBERS.flatMap((name) => {
      const part = change[name];
      return part === undefined || part === null ? [] : [[name, part]];
    }),
  );
}

/** Indentation of the first indented line, which the parser does not keep. */
function indentationOf(text: string): number {
  const [, blanks = "  "] = /^( +)[^\s#-]/m.exec(text) ?? [];
  return Math.min(8, Math.max(2, blanks.length));
}

function isPadded(text: string): boolean {
  return !/[{[]\S/.test(text);
}
