#!/usr/bin/env node
// Starts Cadre on a Node version that can run it: the current one, or the one that came with the package. This file is plain
// JavaScript, so that old versions of Node can run it and print what is wrong.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const WANTED = [24, 15];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const [major, minor] = process.versions.node.split(".").map(Number);
const isNewEnough = major > WANTED[0] || (major === WANTED[0] && minor >= WANTED[1]);

if (isNewEnough) {
  module.enableCompileCache();
  const sources = existsSync(here("../src/cli/main.ts"));
  const { start } = await import(sources ? "../src/cli/main.ts" : "../dist/cli/main.js");
  await start();
} else if (existsSync(here("../node_modules/node/bin/node"))) {
  const args = [here("./cadre.js"), ...process.argv.slice(2)];
  const child = spawn(here("../node_modules/node/bin/node"), args, { stdio: "inherit" });
  // A terminal sends Ctrl-C to the whole process group. A forwarded Ctrl-C would be a second one, which stops without waiting.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`cadre: Node could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
} else {
  // In a clone of Cadre, npm can install the Node version that Cadre needs.
  const orElse = existsSync(here("../src/cli/main.ts")) ? ", or run `npm install` in Cadre's folder" : "";
  process.stderr.write(
    `cadre: Cadre needs Node ${WANTED.join(".")} or newer, and this is ${process.versions.node}: install it from https://nodejs.org${orElse}.\n`,
  );
  process.exit(2);
}
