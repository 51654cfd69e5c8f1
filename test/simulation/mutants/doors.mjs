// @ts-check
import { mutants } from "./mutant.mjs";

/** Faults of the two front doors. */
export const DOORS = mutants([
  {
    name: "keep-what-an-up-restored-in-the-state",
    promise: 6,
    seed: 15,
    file: "engine/dynamic-provider.ts",
    find: "writtenOf(withoutNews(news))",
    replace: "writtenOf(withoutText(news))",
  },
  {
    name: "write-in-a-preview",
    promise: 2,
    seed: 3,
    file: "plugin/resource-methods.ts",
    find: "answer.setProperties(foreseen(inputs));\n        return answer;",
    replace:
      "answer.setProperties(foreseen(inputs));\n        await handler.create(read(inputs));\n        return answer;",
  },
  {
    name: "forget-to-delete",
    promise: 19,
    file: "plugin/resource-methods.ts",
    find: "await handler.delete(request.getId(), read(open(request.getProperties())), request.getUrn());",
    replace: "",
  },
  {
    name: "update-to-the-old-inputs",
    promise: 19,
    file: "plugin/resource-methods.ts",
    find: "await handler.update(request.getId(), read(state), read(news), ignoring);",
    replace: "await handler.update(request.getId(), read(state), read(state), ignoring);",
  },
  {
    name: "let-two-declarations-differ",
    promise: 8,
    seed: 96,
    file: "pulumi/declared.ts",
    find: "if (conflict !== undefined) throw runError",
    replace: "if (conflict === null) throw runError",
  },
]);
