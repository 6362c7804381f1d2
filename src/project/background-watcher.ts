// The program that watches one background command. The Bash tool starts it and passes the command's folder. It outlives Cadre.

import { isProtectedPath } from "../permissions/protected-files.ts";
import { watchCommand } from "../tools/background/watch-command.ts";

const [folder] = process.argv.slice(2);
if (folder !== undefined) await watchCommand(folder, isProtectedPath);
// Exits explicitly, because a sandbox's proxy might keep the process alive.
process.exit();
