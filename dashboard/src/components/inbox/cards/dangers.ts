// Why a call deserves a second look, from what was recorded of it: never from the agent's words. Where there is one, one
// key alone does not approve.

import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { hasTricks } from "../../../display/command/command-pieces.ts";

const HARSH = new Set(
  "rm rmdir shred dd mkfs sudo doas su chmod chown kill pkill killall reboot shutdown crontab systemctl iptables".split(
    " ",
  ),
);

export function findDangers({ kind, tool, input, command, untrusted = [] }: ApprovalView): string[] {
  if (kind !== "tool") return [];
  const programs = (command?.programs ?? []).map(({ argv }) => argv[0]?.split("/").at(-1) ?? "");
  const harsh = [...new Set(programs.filter((program) => HARSH.has(program)))];
  const risky = (command?.programs ?? []).flatMap(({ argv }) => riskIn(argv) ?? []);
  const outside = (command?.files ?? []).filter((file) => file.outside && file.use === "writes");
  return [
    ...(untrusted.length > 0 ? [`text from ${untrusted.join(", ")} came into this run before`] : []),
    ...(harsh.length > 0 ? [`it uses ${harsh.join(", ")}`] : []),
    ...new Set(risky),
    ...(outside.length > 0
      ? [`it writes outside the workspace: ${outside.map(({ path }) => path).join(", ")}`]
      : []),
    ...(command && command.hosts.length > 0 ? [`it contacts ${command.hosts.join(", ")}`] : []),
    ...(command && command.decoded.length > 0 ? ["part of it is hidden in another code"] : []),
    ...(command?.programs.some(({ note }) => note?.includes("fed")) ? ["it runs what it is fed"] : []),
    ...(command && command.grade !== "exact" ? ["not all of it can be read beforehand"] : []),
    ...(hasTricks(readAs(tool, textOf(input))) ? ["it has characters that hide or look like others"] : []),
    ...(tool === "restart_service" || tool?.startsWith("mcp__admin__") ? ["it acts on what is running"] : []),
  ];
}

interface Risk {
  program: string;
  /** Absent: whatever it does. */
  verb?: string;
  /** Absent: however it is told to. */
  flag?: RegExp;
  words: string;
}

const NO_WAY_BACK: readonly Risk[] = [
  {
    program: "git",
    verb: "push",
    flag: /^(--force.*|-f|--mirror|--delete|-d|\+.+|:.+)$/,
    words: "it overwrites or deletes what others have pushed",
  },
  { program: "git", verb: "reset", flag: /^--hard$/, words: "it throws away changes that are not committed" },
  {
    program: "git",
    verb: "clean",
    flag: /^(-\w*f\w*|--force)$/,
    words: "it deletes files that git does not know",
  },
  { program: "git", verb: "branch", flag: /^-D$/, words: "it deletes a branch that may not be merged" },
  { program: "git", verb: "stash", flag: /^(drop|clear)$/, words: "it throws away what was put aside" },
  {
    program: "find",
    flag: /^-(delete|exec|execdir|ok)$/,
    words: "it deletes or runs something for each file that it finds",
  },
  { program: "npm", verb: "publish", words: "it publishes a package" },
  { program: "docker", verb: "system", flag: /^prune$/, words: "it deletes what no container uses now" },
  { program: "kubectl", verb: "delete", words: "it deletes from a cluster" },
  { program: "terraform", verb: "destroy", words: "it takes down what is running" },
];

/** What a program is told to do that cannot be undone. */
function riskIn([path, ...words]: readonly (string | null)[]): string | undefined {
  const name = path?.split("/").at(-1);
  const given = words.map((word) => word ?? "");
  // `git -C folder push` and `git -c name=value push` push as well.
  const args = name === "git" ? given.filter((_, at) => !/^-[Cc]$/.test(given[at - 1] ?? "")) : given;
  const told = args.find((arg) => !arg.startsWith("-"));
  return NO_WAY_BACK.find(
    ({ program, verb, flag }) =>
      program === name &&
      (verb === undefined || verb === told) &&
      (flag === undefined || args.some((arg) => flag.test(arg))),
  )?.words;
}

/** A file may hold rows of blanks: a diff shows them line by line. In a command they hide what follows. */
const readAs = (tool: string | undefined, text: string): string =>
  tool === "Bash" ? text : text.replaceAll(/[ \t\r\n]+/g, " ");

/** Everything that is written in it, with line ends as they are. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  return Object.values(input).map(textOf).join("\n");
}
