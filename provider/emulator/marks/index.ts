export { MARK_KEYS, type MarkFormat, readMarkKeys } from "./mark-format";
export { MarkList } from "./mark-list";
export { addressSchema, type MarkRecord, type MarkRecords, marksSchema } from "./mark-record";
export { type MarkAction, MarkStore, type MarkStoreOptions } from "./mark-store";
export type { ValueOperation } from "./mark-table";
export { paced } from "./paced";
