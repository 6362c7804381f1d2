// `node examples/seeds/s1/main.ts`: the system of document S1, seven agent types that spawn each other.

import { execFileSync } from "node:child_process";
import { start } from "../start.ts";

// The workers commit, so the copy of the folder is a git repository.
await start(import.meta.dirname, {}, (folder) => execFileSync("git", ["init", "-q", "-b", "main", folder]));
