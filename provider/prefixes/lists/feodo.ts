import { has, type PublishedList } from "./list";

/** `ipblocklist.json`: an array of servers; one address can come with several ports. */
export const feodo: PublishedList = {
  name: "Feodo Tracker",
  record: { recognises: (members) => has(members, "ip_address"), members: { prefix: ["ip_address"] } },
};
