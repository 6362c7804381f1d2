// `npm run build` makes the files that are published. The package needs JavaScript, because Node runs no TypeScript in node_modules.
// `npm run check` has already checked the types.
// `dist` has the same layout as `src`, so relative paths work in both.

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { vendor } from "./vendor.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(`${root}/node_modules/.bin/tsc`, ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
cpSync(`${root}/src/tools/shell/supervisor.sh`, `${root}/dist/tools/shell/supervisor.sh`);
await vendor(`${root}/dist`);
