// Limits for the processes of commands: memory, processes, the size of a file, and no core dumps (A89).
// A command that runs away would otherwise take the machine, and Cadre with it.

import { totalmem } from "node:os";

const MB = 1024 * 1024;
/** Processes and threads. For a user other than root, all processes of the user count. */
const PROCESSES = 8_192;
const FILE_BLOCKS = (32 * 1024 * MB) / 512;

/**
 * Sets the limits in a shell that then becomes the command. A limit that is already lower stays.
 * dash names the limit on processes `-p`, other shells `-u`. The memory limit covers what a process writes, not what it maps:
 * Node and Java map far more than they use.
 */
const SET = [
  "ulimit -c 0",
  `ulimit -f ${FILE_BLOCKS}`,
  `ulimit -u ${PROCESSES} || ulimit -p ${PROCESSES}`,
  `ulimit -d ${Math.floor(totalmem() / 1024)}`,
]
  .map((line) => `{ ${line}; } 2>/dev/null`)
  .join("\n");

export const withLimits = (argv: readonly string[]): string[] => [
  "/bin/sh",
  "-c",
  `${SET}\nexec "$@"`,
  "cadre-limits",
  ...argv,
];
