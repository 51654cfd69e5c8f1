/** What people write first: fetch, parse, post all of it. Loses what the sink does not take, and says nothing of changes. */
export async function postAll(base: string, nodes: number): Promise<void> {
  await Promise.all(
    Array.from({ length: nodes }, async (_, n) => {
      const answer = await fetch(`${base}/node${n}/fapi`, { method: "POST", body: '{"url":"mark://edge/web"}' });
      const { data } = (await answer.json()) as { data: object[] };
      const timestamp = new Date().toISOString();
      const lines = data.map((mark) =>
        JSON.stringify({ timestamp, node: `node${n}`, arena: "edge", profile: "web", ...mark }),
      );
      await fetch(`${base}/in`, { method: "POST", body: `${lines.join("\n")}\n` });
    }),
  );
}
