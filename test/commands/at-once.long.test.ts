import { test } from "vitest";
import { expectAgreement } from "./slow-nodes";

test(
  "of twenty processes at once at two slow nodes, file and nodes say the same in the end",
  () => expectAgreement(20),
  120_000,
);
