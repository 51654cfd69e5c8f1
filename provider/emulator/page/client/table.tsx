import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { number, plural } from "./texts";
import { Button } from "./ui";

/** A column's content for an item: numbers, the name of the row, or (`visually-hidden`) content whose title is only heard. */
type Column<Item> = readonly [
  title: string,
  cell: (item: Item) => ComponentChildren,
  form?: "num" | "row" | "visually-hidden" | undefined,
];

/** A table that scrolls by itself. Its caption is for readers who hear the page. */
export function Table<Item>(props: {
  caption: string;
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  columns: readonly Column<Item>[];
  /** Class of the row of an item. */
  tone?: (item: Item) => string;
  kind?: string;
  tall?: boolean;
}) {
  const { caption, items, keyOf, columns, tone, kind, tall } = props;
  return (
    <Scroll label={caption} tall={tall}>
      <table class={kind}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, , form]) => (
              <th key={title} scope="col" class={form === "num" ? "num" : undefined}>
                {form === "visually-hidden" ? <span class="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} class={tone?.(item) || undefined}>
              {columns.map(([title, cell, form]) =>
                form === "row" ? (
                  <th key={title} scope="row">
                    {cell(item)}
                  </th>
                ) : (
                  <td key={title} class={form === "num" ? "num" : undefined}>
                    {cell(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Numbers of entries that a commit adds, removes and changes, each with its word. */
export function Changes(props: {
  of: { readonly inserted: number; readonly removed: number; readonly changed: number };
  words: readonly [add: string, remove: string, change: string];
  between: string;
}) {
  const { of, words, between } = props;
  const parts = [
    ["plus", words[0], of.inserted],
    ["minus", words[1], of.removed],
    ["tilde", words[2], of.changed],
  ] as const;
  const some = parts.filter(([, , count]) => count > 0);
  return (
    <>
      {some.map(([tone, word, count], at) => (
        <span key={tone}>
          {at > 0 && between}
          <span class={tone}>
            {word}
            {number(count)}
          </span>
        </span>
      ))}
    </>
  );
}

/** Says how much of a long list is there, and gives more of it. */
export function Shown(props: {
  shown: number;
  of: number;
  /** One of them, and many of them. */
  what: readonly [one: string, many: string];
  also?: string;
  step: number;
  onMore: () => void;
}) {
  const { shown, of, what, also = "", step, onMore } = props;
  const total = of === 0 ? `No ${what[1]}` : plural(of, ...what);
  return (
    <p class="shown">
      {shown < of ? `First ${number(shown)} of ${total}${also}.` : `${total}${also}.`}
      {shown < of && <Button text={`Show ${number(Math.min(step, of - shown))} more`} onClick={onMore} />}
    </p>
  );
}

/** A box that scrolls by itself. While it does, Tab reaches it, so that its keys scroll it in every browser. */
export function Scroll(props: { label: string; tall?: boolean; children: ComponentChildren }) {
  const { label, tall, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, note] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () =>
      note(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    // Both may change: the window, and the content of the box.
    const size = new ResizeObserver(measure);
    size.observe(element);
    for (const child of element.children) size.observe(child);
    return () => size.disconnect();
  }, []);
  return (
    <div
      ref={box}
      class={tall ? "scroll tall" : "scroll"}
      {...(scrolls && { tabIndex: 0, role: "group", "aria-label": label })}
    >
      {children}
    </div>
  );
}
