/** Report of a preview's changes, from the JSON that `pulumi preview --json` prints: no clock, no network, no files. */

export { withCoverage } from "./entry-lists";
export { findingJsonSchema, parseFindings } from "./findings";
export { LEAST_BYTES, markdown } from "./markdown";
export { type Report, reportJsonSchema, reportSchema, type SetReport } from "./model";
export { fileChanges, fileChangesText, fileContent, fileContentText } from "./prefix-files";
export { reportOf } from "./preview-changes";
export { parsePreview } from "./preview-json";
export { text } from "./text";
