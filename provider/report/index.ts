/** Report of a preview's changes, from the JSON that `pulumi preview --json` prints: no clock, no network, no files. */

export { withCoverage } from "./entry-lists";
export { findingJsonSchema, parseFindings } from "./findings";
export { LEAST_BYTES, markdown } from "./markdown";
export { type Report, reportJsonSchema, reportSchema, type SetReport } from "./model";
export { fileChanges, fileChangesText, fileContent, fileContentText } from "./prefix-files";
export { parsePreview } from "./preview";
export { reportOf } from "./report";
export { text } from "./text";
