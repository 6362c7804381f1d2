// The text that an agent reads in place of its task after other agents have worked on it.
// The text contains the person's request, followed by the agents' results. Each result has a heading and is marked as untrusted.

import type { Payload } from "../journal/events.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { type TaskFields, taskText } from "../projections/folds/transcript.ts";
import type { Ending, Section } from "./action.ts";

type Requested = TaskFields & { requestInput?: unknown };

/** S3-31, S3-10: the whole opening of a run. If `before` is set, the opening starts with it instead of the request. */
export function openingText(
  asked: Requested,
  {
    before,
    sections,
    nonce,
  }: { before?: string | undefined; sections: readonly Section[]; nonce: string | undefined },
): string {
  const parts = sections.map(
    ({ heading, source, text }) =>
      `## ${heading}\n\n${nonce === undefined ? text : markUntrusted(nonce, source, text)}`,
  );
  return [before ?? requestText(asked), ...parts].join("\n\n");
}

/** The person's request. It contains only the person's own input, never the input of another agent. */
export function requestText({ input, requestInput = input, ...asked }: Requested): string {
  return `## ORIGINAL USER REQUEST\n\n${taskText({ ...asked, input: requestInput ?? undefined })}`;
}

/** The opening of a run together with the person's request, which is added if the opening leaves it out. */
export const openingWithRequest = (start: Payload<"RUN_STARTED">, opening: string | undefined): string =>
  opening !== undefined && !hasReadRequest(start) ? opening : addRequest(start, opening);

/** K8: true if the agent has read the request in an earlier round and continues that conversation. Its opening then leaves out the request. */
export const hasReadRequest = ({ team, continues }: Payload<"RUN_STARTED">): boolean =>
  team !== undefined && team.round > 1 && continues !== undefined;

export const addRequest = (asked: Requested, opening: string | undefined): string =>
  [requestText(asked), ...(opening === undefined ? [] : [opening])].join("\n\n");

/** All parts of an answer as one text. */
export function answerText({
  summary,
  details,
  output,
}: Pick<Ending, "summary" | "details" | "output">): string {
  const data = output === undefined ? undefined : JSON.stringify(output, null, 2);
  return [summary, details, data].filter((part) => part !== undefined && part !== "").join("\n\n");
}
