import { useState } from "preact/hooks";
import { token } from "./api";
import { TextField } from "./fields";

/** Asks for the token of an emulator that wants one. */
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
            ? "Its control API wants a token: the one that it was started with, or else the one in the line that it printed when it started."
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
