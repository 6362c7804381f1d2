import { isUnreachable } from "../../../../../src/api/client/client.ts";
import { CadreError } from "../../../../../src/errors.ts";
import { ago } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";

/** F12, F13: says that another person answered first, or why the answer failed. The form keeps its text. */
export function AnswerFailure({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <p role="alert" className="mb-2 rounded-md bg-bad-soft p-2 text-bad text-sm">
      <VisibleText text={wordsFor(error)} />
    </p>
  );
}

function wordsFor(error: Error): string {
  if (isUnreachable(error))
    return "The server does not respond, so the answer may not have arrived. Send it again: it is recorded only once.";
  const { by, at, decision } = error instanceof CadreError ? (error.details ?? {}) : {};
  if (typeof by !== "string" || typeof at !== "number") return error.message;
  return `${by} answered first (${String(decision)}, ${ago(at, Date.now())}). Your answer was not recorded.`;
}
