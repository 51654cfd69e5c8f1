import { useState } from "preact/hooks";
import { token } from "./api";
import { TextField } from "./ui";

/** Asks for the token of an emulator that is not on loopback only. */
export function Locked() {
  const [value, setValue] = useState("");
  return (
    <main class="locked">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          token.set(value.trim());
          location.reload();
        }}
      >
        <h1>Packet filter emulator</h1>
        <p>
          {token.get() === null
            ? "This emulator is not on loopback only, so its control API wants a token."
            : "That is not the token of this emulator."}
        </p>
        <TextField label="Control token" type="password" value={value} onChange={setValue} required grow />
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
