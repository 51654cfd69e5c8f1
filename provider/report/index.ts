/** What a preview is about to do, from the JSON that `pulumi preview --json` prints: no clock, no network, no files. */

export { withCoverage } from "./coverage";
export { findingJsonSchema, type PolicyFindings, parseFindings, UnreadableFindings } from "./findings";
export { LEAST_BYTES, type MarkdownOptions, markdown } from "./markdown";
export { type Report, reportJsonSchema, reportSchema, type SetReport } from "./model";
export { type Preview, parsePreview, UnreadablePreview } from "./preview";
export { reportOf } from "./report";
export { text } from "./text";
