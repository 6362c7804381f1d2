// `npm run build`: what is published. Node runs our TypeScript as it is, but not below node_modules, so a package needs
// JavaScript; at its types `npm run check` has looked. `dist` has the shape of `src`: whatever is found beside a module,
// or above it, is found from there as well.

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { vendor } from "./vendor.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(`${root}/node_modules/.bin/tsc`, ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
cpSync(`${root}/src/tools/shell/supervisor.sh`, `${root}/dist/tools/shell/supervisor.sh`);
await vendor(`${root}/dist`);
