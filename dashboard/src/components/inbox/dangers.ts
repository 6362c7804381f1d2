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
  const outside = (command?.files ?? []).filter((file) => file.outside && file.use === "writes");
  return [
    ...(untrusted.length > 0 ? [`text from ${untrusted.join(", ")} came into this run before`] : []),
    ...(harsh.length > 0 ? [`it uses ${harsh.join(", ")}`] : []),
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

/** A file may hold rows of blanks: a diff shows them line by line. In a command they hide what follows. */
const readAs = (tool: string | undefined, text: string): string =>
  tool === "Bash" ? text : text.replaceAll(/[ \t\r\n]+/g, " ");

/** Everything that is written in it, with line ends as they are. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  return Object.values(input).map(textOf).join("\n");
}
