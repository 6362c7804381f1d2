// The questions of `cadre init` at a terminal. This file is imported only when a question is asked.

import type { Readable, Writable } from "node:stream";
import { isCancel, select } from "@clack/prompts";
import type { KeyedModel } from "../../project/project.ts";
import type { Io } from "../invocation.ts";
import type { Template } from "./templates.ts";

/** Returns undefined if the person cancelled the question. */
export async function askTemplate(
  io: Io,
  templates: readonly Template[],
): Promise<Template | "nothing" | undefined> {
  const options = templates.map((value) => ({ value, label: value.label, hint: value.hint }));
  const nothing = { value: "nothing" as const, label: "Nothing yet", hint: "only cadre.yaml" };
  return ask<Template | "nothing">(io, "What do you want to start with?", [...options, nothing]);
}

/** Returns undefined if the person cancelled the question. */
export function askModel(io: Io, found: readonly KeyedModel[]): Promise<KeyedModel | undefined> {
  const options = found.map((value) => ({ value, label: value.model, hint: `${value.key} is set` }));
  return ask(io, "Which model should agents use that name none?", options);
}

async function ask<Value>(
  { stdin, stdout }: Io,
  message: string,
  options: { value: Value; label: string; hint: string }[],
): Promise<Value | undefined> {
  const answer = await select<Value>({
    message,
    options: options as Parameters<typeof select<Value>>[0]["options"],
    input: stdin as Readable,
    output: stdout as Writable,
  });
  return isCancel(answer) ? undefined : answer;
}
