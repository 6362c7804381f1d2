// Finds a file that holds a known secret, for judging a command that shows pieces of files (A71).
// ripgrep reads the files, because it is fast. It gets the secrets on its standard input: arguments are visible to other users.

import { spawnSync } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";

const TIME_LIMIT = 1_500;
const ARGS =
  "--no-config --no-messages --no-follow --text --files-with-matches --fixed-strings --max-count=1 --glob=!/.cadre --file=-";

/** `values` returns the secrets. The search returns a path, or a sentence if the files could not be searched in time. */
export const createSecretSearch =
  (values: () => readonly string[]) =>
  (paths: readonly string[], skipsHidden: boolean): string | undefined => {
    const lines = values().flatMap((value) => value.split(/[\r\n]+/).filter(({ length }) => length >= 8));
    if (lines.length === 0) return undefined;
    const wide = skipsHidden ? [] : ["--hidden", "--no-ignore"];
    const { status, stdout } = spawnSync(rgPath, [...ARGS.split(" "), ...wide, "--", ...paths], {
      input: `${lines.join("\n")}\n`,
      encoding: "utf8",
      env: {},
      timeout: TIME_LIMIT,
      killSignal: "SIGKILL",
      maxBuffer: 1_000_000,
    });
    const first = stdout?.split("\n")[0];
    if (first) return first;
    return status === null ? "one of very many files" : undefined;
  };
