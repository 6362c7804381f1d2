// Commands that run other commands. A rule that forbids must see through them, and errs on the side of seeing too much:
// every tail of a wrapper's words counts as a command, and every word that reads like a script is read as one.

import { parseShell, type ShellWord } from "./argv.ts";

const WRAPPERS = new Set(
  (
    "env sudo doas su nohup nice ionice chrt taskset timeout time xargs parallel setsid stdbuf script command builtin " +
    "exec eval trap source . sh bash dash zsh ksh fish busybox toybox find fd watch chroot unshare nsenter ssh npx pnpx bunx"
  ).split(" "),
);

const MAX_DEPTH = 3;

/** Every argv that running this one may come to, itself first. Undefined words stay undefined. */
export function reachableArgv(argv: readonly ShellWord[], depth = 0): (readonly ShellWord[])[] {
  const found = [argv];
  const name = baseName(argv[0]);
  if (name !== undefined && name !== argv[0]) found.push([name, ...argv.slice(1)]);
  found.push(...withoutLeadingFlags(name, argv));
  if (name === undefined || !WRAPPERS.has(name) || depth >= MAX_DEPTH) return found;
  for (let at = 1; at < argv.length; at++) {
    found.push(...reachableArgv(argv.slice(at), MAX_DEPTH));
    const word = argv[at];
    if (word === undefined || !/\s|[;&|]/.test(word)) continue;
    for (const inner of parseShell(word).commands) found.push(...reachableArgv(inner.argv, depth + 1));
  }
  return found;
}

export const isWrapper = (name: string): boolean => WRAPPERS.has(name);

/** `git -C x push` is `git push` too: options before the verb do not hide it. */
function withoutLeadingFlags(name: ShellWord, argv: readonly ShellWord[]): (readonly ShellWord[])[] {
  let at = 1;
  while (argv[at]?.startsWith("-")) at++;
  if (at === 1) return [];
  return [
    [name, ...argv.slice(at)],
    [name, ...argv.slice(at + 1)],
  ];
}

const baseName = (word: ShellWord): ShellWord => word?.slice(word.lastIndexOf("/") + 1);
