import { test } from "vitest";
import { createServer } from "node:http";
import { probe } from "/work/wt/probe/provider/probe/probe";
import { NodeClient } from "/work/wt/probe/provider/client";
import { parseUrl } from "/work/wt/probe/provider/model/resource-url";
const rows = (n: number) => Array.from({length:n},(_,i)=>({p:`10.${i>>8}.${i&255}.0/24`,v:1}));
const marks = (n: number) => Array.from({length:n},(_,i)=>({a:`10.0.${i>>8}.${i&255}`,id:7,v:i,t:9}));
const shapes: Record<string, unknown> = {
  warn: {data: rows(100), total: 350, warnings: []},
  errors: {payload: rows(5).map(({p,v})=>({x:p.slice(0,3),y:v})), errors: []},
  errors2: {data: rows(5), errors: []},
  pages: {data: rows(100), paging: {pages: 4, links: [{rel:"next",href:"/x"}]}},
  two: {a: rows(3), b: rows(5)},
  body: {body: rows(100), total: 350, errors: []},
  marks: {hits: marks(1200), notes: []},
  count: {data: rows(100), meta: {total: 350, rows:[{z:1}]}},
};
test.each(Object.keys(shapes))("%s", async (name) => {
  const server = createServer((q, r) => { let b=""; q.on("data",d=>b+=d); q.on("end",()=>r.end(JSON.stringify(shapes[name])))});
  await new Promise<void>(f => server.listen(0,"127.0.0.1",f));
  const endpoint = `http://127.0.0.1:${(server.address() as any).port}`;
  const r = await probe({ node:{endpoint, markPace:"off", markPauseMs: 0}, urls:[parseUrl("prefixset://edge/a")] });
  console.log(name, JSON.stringify(r.node), JSON.stringify(r.guesses), r.findings.filter(f=>/set-list|profiles|rules|marks$/.test(f.point)).map(f=>f.point+" "+f.found+": "+f.node.slice(0,150)).join("\n"), r.unusable);
  const c = new NodeClient({endpoint, ...r.node} as any);
  console.log(await c.listPrefixSet(parseUrl("prefixset://edge/a") as any).then(l=>l.length, e=>String(e).slice(0,200)));
  server.close(); await c.close();
});
