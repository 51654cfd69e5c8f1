#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The same command line with `forward` alone, in few files: a start takes half of the processor time. */
const forwarding = join(__dirname, "../forward/main.js");

if (process.argv[2] === "forward" && existsSync(forwarding)) require(forwarding);
else void import("./commands/command-line.js");
