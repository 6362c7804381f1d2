// The program that watches one background command. Bash starts it with the command's folder; it outlives Cadre.

import { isProtectedPath } from "../permissions/protected-files.ts";
import { watchCommand } from "../tools/background/watch-command.ts";

const [folder] = process.argv.slice(2);
if (folder !== undefined) await watchCommand(folder, isProtectedPath);
// A sandbox's proxy might keep the process alive.
process.exit();
