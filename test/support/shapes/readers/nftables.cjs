exports.default = (body, kind) => {
  const answer = JSON.parse(body);
  if (kind !== "prefixset") return answer.data;
  const { elem } = answer.nftables.find((each) => each.set).set;
  return elem.map((each) => (typeof each === "string" ? { p: each } : { p: `${each.prefix.addr}/${each.prefix.len}` }));
};
