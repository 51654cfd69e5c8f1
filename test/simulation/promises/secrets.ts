import { CANARY } from "../simulation";
import { CLIENT } from "../world/machines";
import type { Promised } from "./promise";

/** No secret of a configuration appears in output, errors or state. */
export const secretsStaySecret: Promised = {
  number: 9,
  name: "secrets stay secret",
  judge: ({ record: { done, preview } }) =>
    [CANARY, CLIENT.secretKey].flatMap((secret) => {
      const shown = (place: string, text: string) => (text.includes(secret) ? [`a secret appears in ${place}`] : []);
      return [
        ...shown("the output", [...done.printed, ...(preview?.printed ?? [])].join("\n")),
        ...shown("an error", [...done.errors, ...(preview?.errors ?? [])].join("\n")),
        ...shown("the state", JSON.stringify(done.after.resources)),
      ];
    }),
};
