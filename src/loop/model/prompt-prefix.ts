// A fingerprint of each prompt. If a provider's cache was not used, it shows which part of the prompt changed.

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Digest } from "../../ids.ts";
import type { PromptPrefix } from "../../journal/events.ts";

export interface Prompt {
  tools: NonNullable<LanguageModelV4CallOptions["tools"]>;
  system: string;
  messages: LanguageModelV4Prompt;
  /** Blob names of the files that are left out of the prompt. */
  leftOut?: readonly string[];
}

/** The fingerprint of a prompt. `before` is the fingerprint of the run's previous prompt. */
export function fingerprintPrompt(
  { tools, system, messages, leftOut = [] }: Prompt,
  before: PromptPrefix | undefined,
  digest: Digest,
): PromptPrefix {
  const texts = messages.map((message) => JSON.stringify(message));
  const short = (text: string): string => digest(text).slice(0, 12);
  const now = {
    tools: short(JSON.stringify(tools)),
    system: short(system),
    messages: { count: texts.length, digest: short(texts.join("\n")) },
    ...(leftOut.length > 0 ? { files: short(leftOut.join("\n")) } : {}),
  };
  if (!before) return now;
  const kept = short(texts.slice(0, before.messages.count).join("\n"));
  const broke = findBreak(before, { ...now, messages: { ...now.messages, digest: kept } });
  return broke === undefined ? now : { ...now, broke };
}

/** The first part of the prompt that differs. Providers cache tools, system prompt and messages in this order. */
function findBreak(before: PromptPrefix, now: PromptPrefix): PromptPrefix["broke"] {
  if (before.tools !== now.tools) return "tools";
  if (before.system !== now.system) return "system";
  if (before.messages.digest !== now.messages.digest) return "messages";
  return before.files === now.files ? undefined : "files";
}
