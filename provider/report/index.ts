/** What a preview is about to do, from the JSON that `pulumi preview --json` prints: no clock, no network, no files. */

export { type MarkdownOptions, markdown } from "./markdown";
export { type Report, reportJsonSchema, reportSchema } from "./model";
export { type Preview, parsePreview, UnreadablePreview } from "./preview";
export { reportOf } from "./report";
export { text } from "./text";
