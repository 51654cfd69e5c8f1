import { render } from "preact";
import { token } from "./api";
import { App } from "./app";
import { start } from "./connection";

token.takeFromAddress();
start();
const root = document.getElementById("app");
if (root) render(<App />, root);
