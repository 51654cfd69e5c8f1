import { render } from "preact";
import { token } from "./api";
import { App } from "./app";
import { start } from "./connection";
import { drawWith, update } from "./store";

token.takeFromAddress();
const root = document.getElementById("app");
if (root) drawWith((state) => render(<App state={state} />, root));
// The address alone says which view the person is in.
addEventListener("hashchange", () => update({}));
start();
