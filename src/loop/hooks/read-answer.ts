// Reads the answer of a hook: its exit code and the JSON on its standard output, in Claude Code's form. Pure.
// If a hook that guards a call (PreToolUse) gives no readable answer, a person decides. A hook that fails never lets the call pass.

import { z } from "zod";
import type { HookEvent, Payload } from "../../journal/events.ts";
import type { HookRun } from "../parts.ts";

export interface HookAnswer {
  decision?: NonNullable<Payload<"HOOKS_ENDED">["decision"]>;
  reason?: string;
  /** A text that the agent reads. */
  context?: string;
}

const Output = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.enum(["approve", "block"]).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).optional(),
      permissionDecisionReason: z.string().optional(),
      additionalContext: z.string().optional(),
      updatedInput: z.unknown().optional(),
    })
    .optional(),
});
type Output = z.output<typeof Output>;

/** Events whose hooks can give the agent context as plain text on standard output. */
const TAKES_TEXT: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit", "SubagentStart"]);
/** Events that no hook can block. */
const CANNOT_BLOCK: ReadonlySet<HookEvent> = new Set(["SessionStart", "SubagentStart"]);

export function readAnswer(event: HookEvent, run: HookRun): HookAnswer {
  const guards = event === "PreToolUse";
  const { code, stdout, stderr, problem } = run;
  if (problem !== undefined) return failed(guards, problem);
  if (code === 2) return objection(event, stderr.trim() || "it gave no reason");
  if (code !== 0) return failed(guards, `it failed with exit code ${code}${words(stderr)}`);
  const text = stdout.trim();
  if (!text.startsWith("{")) return TAKES_TEXT.has(event) && text !== "" ? { context: text } : {};
  const output = parse(text);
  if (!output) return failed(guards, "its JSON cannot be understood");
  const context = output.hookSpecificOutput?.additionalContext;
  const answer = guards ? guardAnswer(output) : blockAnswer(event, output);
  return { ...answer, ...(context ? { context } : {}) };
}

function parse(text: string): Output | undefined {
  try {
    return Output.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function guardAnswer({
  continue: goesOn,
  stopReason,
  decision,
  reason,
  hookSpecificOutput,
}: Output): HookAnswer {
  const {
    permissionDecision,
    permissionDecisionReason = reason ?? "it gave no reason",
    updatedInput,
  } = hookSpecificOutput ?? {};
  if (goesOn === false) return { decision: "deny", reason: stopReason ?? permissionDecisionReason };
  if (permissionDecision === "deny" || (permissionDecision === undefined && decision === "block"))
    return { decision: "deny", reason: permissionDecisionReason };
  if (updatedInput !== undefined)
    return { decision: "ask", reason: "it wants to change the input, which hooks cannot do in Cadre" };
  if (permissionDecision === "ask") return { decision: "ask", reason: permissionDecisionReason };
  if (permissionDecision === "allow" || (permissionDecision === undefined && decision === "approve"))
    return { decision: "allow", reason: permissionDecisionReason };
  return {};
}

function blockAnswer(
  event: HookEvent,
  { continue: goesOn, stopReason, decision, reason }: Output,
): HookAnswer {
  // At the end of a run, `continue: false` means that the run may end.
  if (goesOn === false && event !== "Stop" && event !== "SubagentStop")
    return objection(event, stopReason ?? reason ?? "it gave no reason");
  return decision === "block" && goesOn !== false ? objection(event, reason ?? "it gave no reason") : {};
}

function objection(event: HookEvent, reason: string): HookAnswer {
  if (event === "PreToolUse") return { decision: "deny", reason };
  return CANNOT_BLOCK.has(event) ? { reason } : { decision: "block", reason };
}

const failed = (guards: boolean, reason: string): HookAnswer => ({
  ...(guards ? { decision: "ask" as const } : {}),
  reason,
});

const words = (stderr: string): string => (stderr.trim() === "" ? "" : `: ${stderr.trim()}`);

const STRICTNESS = ["deny", "block", "ask", "allow"] as const;

/** The strictest of several answers. Every text for the agent is kept. */
export function combineAnswers(answers: readonly { command: string; answer: HookAnswer }[]): HookAnswer {
  const decision = STRICTNESS.find((one) => answers.some(({ answer }) => answer.decision === one));
  const reasons = answers
    .filter(
      ({ answer }) => answer.reason !== undefined && (decision === undefined || answer.decision === decision),
    )
    .map(({ command, answer }) => `\`${command}\`: ${answer.reason}`);
  const contexts = answers.flatMap(({ answer }) => answer.context ?? []);
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reasons.length === 0 ? {} : { reason: reasons.join("\n") }),
    ...(contexts.length === 0 ? {} : { context: contexts.join("\n\n") }),
  };
}
