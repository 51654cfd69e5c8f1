import { blockLists } from "./block-lists";
import { clouds } from "./clouds";

/**
 * The lists that are read without options. Plain ones need no line here, such as the bogons of Team Cymru: prefixes below
 * comments.
 */
export const LISTS = [...blockLists, ...clouds];
