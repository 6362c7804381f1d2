// A provider's requirements for a prompt (F11): the roles are in order, and each call gets exactly one result in the next message.

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

const PLACEHOLDER = "Interrupted: it is not known whether this was done.";

/** Returns the first reason why a provider would reject the prompt. `mayBeOpen` allows calls whose result is still unknown. */
export function promptProblem(prompt: LanguageModelV4Prompt, mayBeOpen: boolean): string | undefined {
  const [system, first] = prompt;
  if (system?.role !== "system" || first?.role !== "user")
    return "begins with something else than system and user";
  if (prompt.at(-1)?.role === "assistant") return "ends with the assistant's own words";
  const used = new Set<string>();
  for (let index = 1; index < prompt.length; index++) {
    const problem =
      messageProblem(prompt, index, used) ?? (mayBeOpen ? undefined : openResult(prompt[index]!));
    if (problem) return `message ${index} ${problem}`;
  }
  return undefined;
}

function messageProblem(prompt: LanguageModelV4Prompt, index: number, used: Set<string>): string | undefined {
  const message = prompt[index]!;
  const before = prompt[index - 1]!;
  const open = callIds(before);
  if (message.role === "system") return "is a second system message";
  if (message.content.length === 0) return "is empty";
  if (open.length > 0 && message.role !== "tool") return "leaves calls without results";
  if (message.role === "assistant") {
    if (before.role === "assistant") return "is the assistant again";
    for (const id of callIds(message)) {
      if (id === "" || used.has(id)) return `uses the call id ${JSON.stringify(id)} again`;
      used.add(id);
    }
  }
  if (message.role === "user" && message.content.some((part) => part.type === "text" && part.text === "")) {
    return "says nothing";
  }
  if (message.role !== "tool") return undefined;
  const results = message.content.filter((part) => part.type === "tool-result");
  if (JSON.stringify(results.map(({ toolCallId }) => toolCallId)) !== JSON.stringify(open)) {
    return "answers other calls than those before it";
  }
  return undefined;
}

function openResult(message: LanguageModelV4Prompt[number]): string | undefined {
  const results = message.role === "tool" ? message.content : [];
  const left = results
    .filter((part) => part.type === "tool-result")
    .find(({ output }) => output.type === "error-text" && output.value === PLACEHOLDER);
  return left && `goes on without a result of ${left.toolCallId}`;
}

/** K3: finds a message that a member reads twice, or that returns to its own author. Messages are written between « and ». */
export function wordProblem(prompt: LanguageModelV4Prompt): string | undefined {
  const heard = wordsOf(prompt, "user");
  const own = new Set(wordsOf(prompt, "assistant"));
  const twice = heard.find((word, index) => heard.indexOf(word) !== index);
  if (twice !== undefined) return `tells ${twice} twice`;
  const mine = heard.find((word) => own.has(word));
  return mine && `tells ${mine} to whom said it`;
}

function wordsOf(prompt: LanguageModelV4Prompt, role: "user" | "assistant"): string[] {
  const said = prompt.filter((message) => message.role === role);
  return JSON.stringify(said).match(/«[^»]+»/g) ?? [];
}

function callIds(message: LanguageModelV4Prompt[number]): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
}
