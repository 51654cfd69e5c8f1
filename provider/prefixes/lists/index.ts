import { blockLists } from "./block-lists";
import { clouds } from "./clouds";

/**
 * The lists that are read without options. One that has nothing particular needs no line here: the bogons of Team Cymru
 * are prefixes below comments.
 */
export const LISTS = [...blockLists, ...clouds];
