import { render } from "preact";
import { token } from "./api";
import { App } from "./app";
import { start } from "./connection";
import { drawWith, update } from "./store";

token.takeFromAddress();
const root = document.getElementById("app");
if (root) drawWith((state) => render(<App state={state} />, root));
// Where the person is stands in the address alone.
addEventListener("hashchange", () => update({}));
start();
