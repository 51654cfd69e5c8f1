import { PLACES } from "./places";
import type { NodeShape } from "./shape";
import { TEXTS } from "./texts";
import { VALUES } from "./values";
import { VERDICTS } from "./verdicts";

/** Every node of the matrix that can be used, by what is special about it. */
export const NODES: Readonly<Record<string, NodeShape>> = { ...PLACES, ...VALUES, ...TEXTS, ...VERDICTS };
