export { MARK_KEYS } from "./mark-format";
export { type MarkRecord, type MarkRecords, marksSchema } from "./mark-record";
export { type MarkLosses, MarkStore } from "./mark-store";
export type { MarkLimits, ValueOperation } from "./mark-table";
