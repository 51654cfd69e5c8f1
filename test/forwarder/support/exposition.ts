/** A metric of a page: its kind, and its series in their order, each as it stands there with its value. */
export interface PageMetric {
  readonly kind: string;
  readonly help: string;
  readonly series: Map<string, number>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/gy;

/**
 * Reads a page of metrics as strictly as Prometheus's text format 0.0.4 is written down: each metric has its help and its
 * kind before its samples, samples of a metric stand together, and no series comes twice.
 */
export function readPage(page: string): Map<string, PageMetric> {
  if (!page.endsWith("\n")) throw new Error("The last line has no end.");
  const metrics = new Map<string, PageMetric>();
  let last = "";
  for (const line of page.slice(0, -1).split("\n")) {
    const fail = (what: string): Error => new Error(`${what}: ${line}`);
    const [hash, word, name = "", ...rest] = line.split(" ");
    if (hash === "#" && word === "HELP") {
      if (!NAME.test(name) || metrics.has(name)) throw fail("a name that is none, or comes twice");
      metrics.set(name, { kind: "", help: rest.join(" "), series: new Map() });
      last = name;
    } else if (hash === "#" && word === "TYPE") {
      const metric = metrics.get(name);
      if (!metric || name !== last || metric.series.size > 0) throw fail("a kind without its help before it");
      if (!/^(counter|gauge|histogram)$/.test(rest.join(" "))) throw fail("no kind");
      metrics.set(name, { ...metric, kind: rest.join(" ") });
    } else {
      const end = line.lastIndexOf(" ");
      const series = line.slice(0, end);
      const value = line.slice(end + 1);
      const own = series.split("{")[0] ?? "";
      const metric = metrics.get(last);
      const ends = metric?.kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!metric || !ends.some((ending) => own === `${last}${ending}`)) throw fail("a sample outside of its metric");
      if (!/^(\+Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value)) throw fail("a value that is none");
      if (metric.series.has(series)) throw fail("a series that comes twice");
      labelsOf(series);
      metric.series.set(series, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value));
    }
  }
  return metrics;
}

/** The labels of a series. @throws {Error} when they are not written as labels are. */
export function labelsOf(series: string): Record<string, string> {
  const at = series.indexOf("{");
  if (at < 0) return {};
  const text = series.slice(at + 1, -1);
  const found = [...text.matchAll(LABEL)];
  if (!series.endsWith("}") || found.map(([all]) => all).join("") !== text) throw new Error(`no labels: ${series}`);
  return Object.fromEntries(found.map(([, name, value]) => [name, value]));
}
