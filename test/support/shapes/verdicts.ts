import { Told } from "../told";
import type { NodeShape } from "./shape";

/** Nodes that differ in how they say that all is well, that something failed, and that a set is not there. */
export const VERDICTS: Record<string, NodeShape> = {
  "an empty body after a change": { done: () => "" },
  "204 after a change": { done: () => new Told(204) },
  "201 and what was made": { done: (cmd, count) => new Told(201, { [`${cmd}ed`]: count }) },
  "the word true after a change": { done: () => true },
  "a number after a change": { done: (_cmd, count) => count },
  "words after a change": { done: (_cmd, count) => `${count} row(s) affected` },
  "EPP: 1000 and words that say it": {
    list: (prefixes) => ({ code: 1000, message: "Command completed successfully", resData: { prefixes } }),
    done: () => ({ code: 1000, message: "Command completed successfully" }),
    missing: new Told(200, { code: 2303, message: "Object does not exist" }),
    settings: { answers: { path: "resData.prefixes", success: { member: "code", values: [1000] } } },
  },
  "a code of its own beside words": {
    list: (data) => ({ code: 1, message: `${data.length} records`, data }),
    done: (_cmd, count) => ({ code: 1, message: `${count} records` }),
    missing: new Told(200, { code: 0, message: "no such set" }),
    settings: { answers: { success: { member: "code", values: [1] } } },
  },
  "codes that are success from 2000 on": {
    list: (data) => ({ rc: 2000, data }),
    done: (cmd) => ({ rc: cmd === "commit" ? 2002 : 2001 }),
    missing: new Told(200, { rc: 4004 }),
    settings: { answers: { success: { member: "rc", values: [2000, 2001, 2002] } } },
  },
  "a code for failures alone": {
    list: (data) => ({ state: data.length, data }),
    done: () => ({ state: 4 }),
    missing: new Told(200, { state: -1 }),
    settings: { answers: { failure: { member: "state", values: [-1, -2] } } },
  },
  "C: errno": {
    list: (data) => ({ errno: 0, errmsg: "", data }),
    done: () => ({ errno: 0, errmsg: "" }),
    missing: new Told(200, { errno: 2, errmsg: "No such file or directory" }),
  },
  "PHP: success as a number": {
    list: (data) => ({ success: 1, data }),
    done: () => ({ success: 1 }),
    missing: new Told(200, { success: 0, data: [] }),
  },
  "Python: a detail": { missing: new Told(404, { detail: "Not Found" }) },
  "Windows: S_OK": {
    list: (data) => ({ result: "S_OK", data }),
    done: () => ({ result: "S_OK" }),
    missing: new Told(200, { result: "E_INVALIDARG", data: null }),
  },
  "a status in an object": {
    list: (data) => ({ status: { code: 0, message: "OK" }, data }),
    done: () => ({ status: { code: 0, message: "OK" } }),
    missing: new Told(200, { status: { code: 17, message: "no such set" }, data: [] }),
  },
  "SOAP's way: a response code as a text": {
    list: (data) => ({ responseCode: "00", responseText: "Approved", data }),
    done: () => ({ responseCode: "00", responseText: "Approved" }),
    missing: new Told(200, { responseCode: "14", responseText: "Unknown set", data: [] }),
    settings: { answers: { success: { member: "responseCode", values: ["00"] } } },
  },
  "sets that are made by an insert and vanish when they are empty": {
    vanishes: true,
    settings: { answers: { absent: "empty" } },
  },
  "sets that vanish, told in a 200": {
    vanishes: true,
    missing: new Told(200, { status: "error", message: "no such prefix-set" }),
    settings: { answers: { absent: { text: "no such prefix-set" } } },
  },
  "sets that vanish, told by a code": {
    vanishes: true,
    list: (data) => ({ code: 0, data }),
    missing: new Told(200, { code: 404, msg: "unknown" }),
    settings: { answers: { absent: { member: "code", values: [404] } } },
  },
  "sets that vanish, told by 410": {
    vanishes: true,
    missing: new Told(410, "gone"),
    settings: { answers: { absent: { status: 410 } } },
  },
  "pages that a header counts": {
    list: (data) => new Told(200, { data }, { "x-total-count": "99", "x-rest": "0" }),
    settings: { answers: { more: { header: "x-rest" } } },
  },
  "a member that only looks like a page": {
    list: (data) => ({ data, next: "/fapi?table=2", pager: { left: 0 } }),
    settings: { answers: { more: { member: "pager.left" } } },
  },
};
