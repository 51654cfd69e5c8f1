import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { prefixIn } from "../../model/readable";
import { PARSING } from "../../model/yaml";
import { type Edit, type EntryChange, notEditable } from "./edit";

const MEMBERS = ["value", "reason", "ticket", "expires", "sent"] as const;

/**
 * The text of a YAML prefix file after an edit. Comments on lines of their own stay, even above a removed entry; a comment
 * after an entry is removed with it.
 */
export function editYaml(text: string, changes: Edit): string {
  // Loaded here, since most programs read no YAML.
  const yaml = require("yaml") as typeof import("yaml");
  const { isMap, isScalar, isSeq, parseDocument, YAMLMap: YamlMap } = yaml;
  const document: Document = parseDocument(text, PARSING);
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
    map.items = edited(map, map.items, {
      prefixOf: ({ key }) => (isScalar(key) ? key.value : key),
      commentsOf: ({ key }) => (isScalar(key) ? key : undefined),
      change: (pair, change) => {
        pair.value = changed(pair.value, change);
      },
      added: (prefix, change) => document.createPair(prefix, plain({ value: 1, ...plain(change) })) as Pair,
    });
  }

  function editSequence(sequence: YAMLSeq): void {
    if (sequence.items.length === 0) sequence.flow = false;
    const items = sequence.items as Node[];
    sequence.items = edited(sequence, items, {
      prefixOf: (item) => (isMap(item) ? item.get("prefix") : isScalar(item) ? item.value : undefined),
      commentsOf: (item) => item,
      change: (item, change, index) => {
        if (isMap(item)) setMembers(item, change);
        else items[index] = elementOf(document, isScalar(item) ? item.value : undefined, change, item);
      },
      added: (prefix, change) => elementOf(document, prefix, change),
    });
  }

  /** The items after the edit: kept ones, changed or not, then new ones. */
  function edited<T>(collection: YAMLMap | YAMLSeq, items: T[], how: How<T>): T[] {
    const open = new Map(changes);
    let lines: string[] = [];
    const kept: T[] = [];
    items.forEach((item, index) => {
      const prefix = prefixIn(how.prefixOf(item))?.toString();
      const commented = how.commentsOf(item);
      const comment = commented?.commentBefore;
      const isMeant = prefix !== undefined && changes.has(prefix);
      const change = isMeant ? open.get(prefix) : undefined;
      if (isMeant) open.delete(prefix);
      if (isMeant && change === undefined) {
        if (comment) lines.push(comment);
        return;
      }
      if (isMeant && change) how.change(item, change, index);
      const stays = items[index] as T;
      const node = how.commentsOf(stays);
      if (lines.length > 0 && node) {
        node.commentBefore = [...lines, ...(comment ? [comment] : [])].join("\n");
        lines = [];
      }
      kept.push(stays);
    });
    // No item follows: the comments end the list, or an empty document.
    if (lines.length > 0) {
      if (kept.length > 0)
        collection.comment = [...lines, ...(collection.comment ? [collection.comment] : [])].join("\n");
      else document.commentBefore = [...(document.commentBefore ? [document.commentBefore] : []), ...lines].join("\n");
    }
    for (const [prefix, change] of open) if (change) kept.push(how.added(prefix, change));
    return kept;
  }

  function changed(content: unknown, change: EntryChange): unknown {
    if (isMap(content)) {
      setMembers(content, change);
      return content;
    }
    const value = isScalar(content) && typeof content.value === "number" ? { value: content.value } : {};
    return document.createNode(plain({ ...value, ...change }));
  }
}

/** Access to the entries of a collection, and their change. */
interface How<T> {
  prefixOf(item: T): unknown;
  commentsOf(item: T): { commentBefore?: string | null | undefined } | undefined;
  change(item: T, change: EntryChange, index: number): void;
  /** The item of a new prefix. */
  added(prefix: string, change: EntryChange): T;
}

function elementOf(document: Document, prefix: unknown, change: EntryChange, former?: Node): Node {
  const value = former ? {} : { value: 1 };
  const node = document.createNode({ prefix, ...value, ...plain(change) });
  if (former?.commentBefore) node.commentBefore = former.commentBefore;
  return node;
}

function setMembers(map: YAMLMap, change: EntryChange): void {
  for (const name of MEMBERS) {
    const part = change[name];
    if (part === null) map.delete(name);
    else if (part !== undefined) map.set(name, part);
  }
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
