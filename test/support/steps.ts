// Helpers for agents that a steps module controls. A test writes only the body of the generator function.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JournalEvent, Payload } from "../../src/journal/events.ts";
import { promptProblem } from "../simulation/prompt-check.ts";
import { payloadsOf, promptOf } from "./scenario.ts";
import type { World } from "./world.ts";

const IMPORTS = `import { type Steps, type StepsInput, ask, delegate, parallel, prompt, sleep, tool, turn, turns } from "cadre";\n`;

export const moduleOf = (body: string): string =>
  `${IMPORTS}export default function* ({ task, input }: StepsInput): Steps {\n${body}\n}\n`;

/** Options for a world in which this generator body controls the agent `tester`. */
export const controlled = (body: string, keys = "") => ({
  agent: `steps: ./tester.steps.ts\n${keys}`,
  files: { "agents/tester.steps.ts": moduleOf(body) },
});

/** Replaces the module's file, as if a user had edited it. */
export function rewrite({ folder }: World, body: string): void {
  writeFileSync(join(folder, "agents/tester.steps.ts"), moduleOf(body));
}

/** A script with one text for each turn. */
export const says =
  (...texts: string[]) =>
  ({ turn }: { turn: number }) => ({ text: texts[turn - 1] ?? "nothing more" });

export const yieldsOf = (events: readonly JournalEvent[]): Payload<"STEP_YIELDED">[] =>
  payloadsOf(events, "STEP_YIELDED");

export const answersOf = (events: readonly JournalEvent[]): unknown[] =>
  yieldsOf(events).map(({ answer }) => answer);

/** Returns the reason why a provider would reject the next prompt, if there is one. */
export function refusedByProvider(events: readonly JournalEvent[]): string | undefined {
  const next = { role: "user" as const, content: [{ type: "text" as const, text: "next" }] };
  const prompt = [{ role: "system" as const, content: "" }, ...promptOf(events), next];
  return promptProblem(prompt as LanguageModelV4Prompt, false);
}

/** A short form of the prompt: the role and text of each message. Calls and results are shown by tool name. */
export function promptText(events: readonly JournalEvent[]): string[] {
  return promptOf(events).map(({ role, content }) => {
    const parts = content as {
      type: string;
      text?: string;
      toolName?: string;
      output?: { value: unknown };
    }[];
    const words = parts.map(({ type, text, toolName, output }) =>
      type === "text" ? text : type === "tool-call" ? `${toolName}()` : String(output?.value),
    );
    return `${role}: ${words.join(" ")}`;
  });
}
