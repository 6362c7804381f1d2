// Finds reasons to check a call carefully. The reasons come from the recorded call, never from the agent's words.
// If there is a reason to check a call, pressing a single key does not approve the call.

import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { hasTricks } from "../../../display/command/command-pieces.ts";

const HARSH = new Set(
  "rm rmdir shred dd mkfs sudo doas su chmod chown kill pkill killall reboot shutdown crontab systemctl iptables".split(
    " ",
  ),
);

export function findDangers(item: ApprovalView): string[] {
  const { kind, input, command, reaches, target, untrusted = [] } = item;
  if (kind !== "tool") return [];
  const programs = (command?.programs ?? []).map(({ argv }) => argv[0]?.split("/").at(-1) ?? "");
  const harsh = [...new Set(programs.filter((program) => HARSH.has(program)))];
  const risky = (command?.programs ?? []).flatMap(({ argv }) => riskIn(argv) ?? []);
  const outside = (command?.files ?? []).filter((file) => file.outside && file.use === "writes");
  const text = command ? textOf(input) : withoutBlankRuns(textOf(input));
  const reasons = [
    untrusted.length > 0 && `this run has read untrusted content from ${untrusted.join(", ")}`,
    harsh.length > 0 && `it uses ${harsh.join(", ")}`,
    ...new Set(risky),
    outside.length > 0 && `it writes outside the workspace: ${outside.map(({ path }) => path).join(", ")}`,
    command && command.hosts.length > 0 && `it contacts ${command.hosts.join(", ")}`,
    command && command.decoded.length > 0 && "part of it is encoded",
    command?.programs.some(({ runsInput }) => runsInput) && "it executes its input",
    command && command.grade !== "exact" && "parts of it are only known when it runs",
    hasTricks(text) && "it contains invisible or look-alike characters",
    // A call of this kind runs commands on a service or a run that its target names.
    target?.kind === "name" && reaches?.includes("commands") && "it acts on a running system",
  ];
  return reasons.filter((reason) => typeof reason === "string");
}

interface Risk {
  program: string;
  /** The dangerous subcommand; absent if the program has none, or if any subcommand is dangerous. */
  verb?: string;
  /** The flag that makes the command dangerous; absent if the command is always dangerous. */
  flag?: RegExp;
  words: string;
}

const IRREVERSIBLE: readonly Risk[] = [
  {
    program: "git",
    verb: "push",
    flag: /^(--force.*|-f|--mirror|--delete|-d|\+.+|:.+)$/,
    words: "it overwrites or deletes what others have pushed",
  },
  { program: "git", verb: "reset", flag: /^--hard$/, words: "it discards uncommitted changes" },
  {
    program: "git",
    verb: "clean",
    flag: /^(-\w*f\w*|--force)$/,
    words: "it deletes untracked files",
  },
  { program: "git", verb: "branch", flag: /^-D$/, words: "it deletes a branch that may not be merged" },
  { program: "git", verb: "stash", flag: /^(drop|clear)$/, words: "it discards stashed changes" },
  {
    program: "find",
    flag: /^-(delete|exec|execdir|ok)$/,
    words: "it deletes or runs something for each file it finds",
  },
  { program: "npm", verb: "publish", words: "it publishes a package" },
  {
    program: "docker",
    verb: "system",
    flag: /^prune$/,
    words: "it deletes everything that no container is using",
  },
  { program: "kubectl", verb: "delete", words: "it deletes from a cluster" },
  { program: "terraform", verb: "destroy", words: "it destroys running infrastructure" },
];

/** Says why the command cannot be undone. Undefined if it can be undone. */
function riskIn([path, ...words]: readonly (string | null)[]): string | undefined {
  const name = path?.split("/").at(-1);
  const given = words.map((word) => word ?? "");
  // Removes the values of git's options `-C` and `-c`, so that `git -C folder push` is recognised as a push.
  const args = name === "git" ? given.filter((_, at) => !/^-[Cc]$/.test(given[at - 1] ?? "")) : given;
  const subcommand = args.find((arg) => !arg.startsWith("-"));
  return IRREVERSIBLE.find(
    ({ program, verb, flag }) =>
      program === name &&
      (verb === undefined || verb === subcommand) &&
      (flag === undefined || args.some((arg) => flag.test(arg))),
  )?.words;
}

/** Many blanks in a row are harmless in a file, because the diff shows every line. In a command they can push text out of sight. */
const withoutBlankRuns = (text: string): string => text.replaceAll(/[ \t\r\n]+/g, " ");

/** All strings in the input, with their line breaks. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  return Object.values(input).map(textOf).join("\n");
}
