// What an agent reads in its task's place when others worked on it before: the request as the person wrote it, then what
// was gathered, each under its heading and marked as somebody else's words.

import { markUntrusted } from "../journal/untrusted.ts";
import { type TaskFields, taskText } from "../projections/folds/transcript.ts";
import type { Ending, Section } from "./action.ts";

type Requested = TaskFields & { requestInput?: unknown };

/** S3-31, S3-10. `before`: what the agent that passes it on has read itself. */
export function openingText(
  asked: Requested,
  { before, sections, nonce }: { before?: string | undefined; sections: readonly Section[]; nonce: string },
): string {
  const parts = sections.map(
    ({ heading, source, text }) => `## ${heading}\n\n${markUntrusted(nonce, source, text)}`,
  );
  return [before ?? requestText(asked), ...parts].join("\n\n");
}

/** The person's words alone: an input that another agent brought must not pass for one of theirs. */
export function requestText({ input, requestInput = input, ...asked }: Requested): string {
  return `${REQUEST}\n\n${taskText({ ...asked, input: requestInput ?? undefined })}`;
}

/** K8: what a run reads that goes on in a later round does not repeat the request. Whoever begins there must know it. */
export const openingWithRequest = (asked: Requested, opening: string | undefined): string =>
  opening?.startsWith(REQUEST)
    ? opening
    : [requestText(asked), ...(opening === undefined ? [] : [opening])].join("\n\n");

const REQUEST = "## ORIGINAL USER REQUEST";

/** Everything that somebody answered, as one text. */
export function answerText({
  summary,
  details,
  output,
}: Pick<Ending, "summary" | "details" | "output">): string {
  const data = output === undefined ? undefined : JSON.stringify(output, null, 2);
  return [summary, details, data].filter((part) => part !== undefined && part !== "").join("\n\n");
}
