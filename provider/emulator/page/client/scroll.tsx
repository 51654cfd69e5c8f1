import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

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
    // Both may change: the window, and what is shown in the box.
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
