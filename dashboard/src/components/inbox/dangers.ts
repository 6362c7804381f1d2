// Why a call deserves a second look, from what was recorded of it: never from the agent's words. Where there is one, one
// key alone does not approve.

import type { ApprovalView } from "../../../../src/api/schema.ts";
import { hasTricks } from "../../display/command-marks.ts";

const HARSH = new Set(
  "rm rmdir shred dd mkfs sudo doas su chmod chown kill pkill killall reboot shutdown crontab systemctl iptables".split(
    " ",
  ),
);

export function dangersOf({ kind, tool, input, command, untrusted = [] }: ApprovalView): string[] {
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

const NO_WAY_BACK: readonly [program: string, verb: string, flags: RegExp, words: string][] = [
  [
    "git",
    "push",
    /^(--force.*|-f|--mirror|--delete|-d|\+.+|:.+)$/,
    "it overwrites or deletes what others have pushed",
  ],
  ["git", "reset", /^--hard$/, "it throws away changes that are not committed"],
  ["git", "clean", /^(-\w*f\w*|--force)$/, "it deletes files that git does not know"],
  ["git", "branch", /^(-D|--force)$/, "it deletes a branch that may not be merged"],
  ["git", "stash", /^(drop|clear)$/, "it throws away what was put aside"],
  ["find", "", /^-(delete|exec|execdir|ok)$/, "it deletes or runs something for each file that it finds"],
  ["npm", "publish", /^/, "it publishes a package"],
  ["docker", "system", /^prune$/, "it deletes what no container uses now"],
  ["kubectl", "delete", /^/, "it deletes from a cluster"],
  ["terraform", "destroy", /^/, "it takes down what is running"],
];

/** What a program is told to do that cannot be undone. */
function riskIn([path, ...words]: readonly (string | null)[]): string | undefined {
  const program = path?.split("/").at(-1);
  const given = words.map((word) => word ?? "");
  // `git -C folder push` and `git -c name=value push` push as well.
  const args = program === "git" ? given.filter((_, at) => !/^-[Cc]$/.test(given[at - 1] ?? "")) : given;
  const verb = args.find((arg) => !arg.startsWith("-")) ?? "";
  const found = NO_WAY_BACK.find(
    ([name, wanted, flags]) =>
      name === program &&
      (wanted === "" || wanted === verb) &&
      args.some((arg) => (arg !== verb ? flags.test(arg) : flags.source === "^")),
  );
  return found?.[3];
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
