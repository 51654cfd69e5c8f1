import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { main } from "../../provider/commands/program";
import { connectEmulator, startEmulator } from "../../provider/emulator";
import { answeredBy } from "../../provider/emulator/page/client/texts";
import { useFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { control, fapi, list } from "./calls";

const folder = useFolder();

test("an emulator says its dialect, what answers in its place, and what it keeps, without credentials", async () => {
  const [persist, record] = [join(folder, "kept.json"), join(folder, "node.ndjson")];
  await using node = await startEmulator();
  const proxy = node.endpoint.replace("://", "://admin:canary@");
  {
    await using emulator = await startEmulator({ proxy, record, persist, dialect: { listShows: "staged" } });
    const told = { proxy: node.endpoint, record, persist, dialect: { listShows: "staged" } };
    expect(emulator.info()).toMatchObject(told);
    await using remote = await connectEmulator(emulator.control);
    expect(await remote.info()).toEqual(emulator.info());
    expect((await control(emulator, "GET", "/page/overview")).json).toMatchObject({
      deviations: { listShows: "staged" },
      sources: { proxy: node.endpoint, record, persist },
    });
    expect(JSON.stringify(emulator.info())).not.toContain("canary");
    await fapi(emulator, list);
    emulator.setDialect({});
    expect(emulator.info().dialect).toEqual({});
  }
  await using replaying = await startEmulator({ replay: record });
  expect(replaying.info()).toMatchObject({ replay: record, replayed: ["node"], unseen: "refuse" });
  expect((["node", "signaling"] as const).map((api) => answeredBy(replaying.info(), api))).toEqual([
    `answered from the recording ${record}; what is not in it is refused`,
    "answered by the emulator",
  ]);
  const { proxy: _, ...plain } = node.info();
  expect(plain).toEqual(node.info());
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("what a node compresses by %s unasked is passed on as it is, and recorded as text", async (coding, compress) => {
  const body = JSON.stringify({ data: [{ p: "192.0.2.0/24", v: 1 }] });
  using node = await serveRaw((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding }).end(compress(body));
  });
  const record = join(folder, `${coding}.ndjson`);
  {
    await using emulator = await startEmulator({ proxy: node.url, record });
    expect((await fapi(emulator, list)).text).toBe(body);
  }
  await using copy = await startEmulator({ replay: record });
  expect((await fapi(copy, list)).text).toBe(body);
});

test("a recording that breaks off, and an empty state, are refused by name", async () => {
  const record = join(folder, "whole.ndjson");
  {
    await using node = await startEmulator();
    await using emulator = await startEmulator({ proxy: node.endpoint, record });
    await fapi(emulator, list);
    await fapi(emulator, list);
  }
  const [head = "", first = ""] = (await readFile(record, "utf8")).split("\n");
  const cut = join(folder, "cut.ndjson");
  for (const text of [
    head.slice(0, 10),
    `${head}\n${first.slice(0, 40)}`,
    `${head}\n${first}\n${first.slice(0, 40)}`,
  ]) {
    await writeFile(cut, text);
    await expect(startEmulator({ replay: cut })).rejects.toThrow(
      /cut\.ndjson, line \d is not a recording: its last line is incomplete, .*: remove the line to replay the others/,
    );
  }
  // A line that lacks only its newline is whole.
  await writeFile(cut, `${head}\n${first}`);
  await using whole = await startEmulator({ replay: cut });
  expect((await fapi(whole, list)).status).toBe(200);

  const empty = join(folder, "empty.yaml");
  for (const content of ["", "\n \n"]) {
    await writeFile(empty, content);
    const said: string[] = [];
    const io = {
      out: () => {},
      err: (text: string) => void said.push(text),
      env: {},
      stop: new AbortController().signal,
    };
    expect(await main(["emulator", "--state", empty], io)).toBe(2);
    expect(said.join("")).toMatch(/empty\.yaml is empty: write at least \{\}/);
  }
});
