import type { ReactNode } from "react";
import type { ConversationCall } from "../../../../src/projections/views/conversation.ts";
import { shortCount } from "../../../../src/projections/words/format.ts";
import { Diff } from "../../display/diff/diff.tsx";
import { patchOfCall } from "../../display/diff/patch-of-call.ts";
import { JsonView } from "../../display/json-view.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { Streaming } from "../../live/tree-journal.ts";

/** Input and output of a call, as far as the journal has them. */
export function CallDetail({
  call,
  streaming,
}: {
  call: ConversationCall;
  streaming: Streaming | undefined;
}) {
  const { tool, input, preview, decision, result } = call;
  const patch = preview?.includes("\n@@ ") ? preview : patchOfCall(tool, input);
  const command = tool === "Bash" ? commandOf(input) : undefined;
  return (
    <div className="flex flex-col gap-2 border-line border-t p-2 text-sm">
      {decision && (
        <p className="text-muted">
          {DECISIONS[decision.decision]} <VisibleText text={decision.by} />
          {decision.note !== undefined && (
            <>
              : <VisibleText text={decision.note} />
            </>
          )}
        </p>
      )}
      {patch === undefined ? (
        <Part name="Input">
          {command === undefined ? <JsonView value={input} /> : <Ansi text={command} />}
        </Part>
      ) : (
        <Part name={preview === patch ? "Change as shown for approval" : "Requested change"}>
          <Diff patch={patch} />
        </Part>
      )}
      <Output result={result} streaming={streaming} />
    </div>
  );
}

function Output({
  result,
  streaming,
}: {
  result: ConversationCall["result"];
  streaming: Streaming | undefined;
}) {
  if (!result)
    return streaming ? (
      <Part name="Output so far">
        <Ansi text={streaming.text} />
      </Part>
    ) : null;
  const { output, untrusted, sandbox, ref, size } = result;
  const about = [
    untrusted === undefined ? "" : `untrusted content from ${untrusted}`,
    sandbox === undefined ? "" : sandbox === "none" ? "no sandbox" : `sandbox ${sandbox}`,
    ref === undefined ? "" : `start and end of ${shortCount(size ?? 0)} characters`,
  ].filter(Boolean);
  return (
    <Part name="Output" about={about.join(" · ")}>
      {typeof output === "string" ? <Ansi text={output} /> : <JsonView value={output} />}
    </Part>
  );
}

const Part = ({ name, about, children }: { name: string; about?: string; children: ReactNode }) => (
  <div>
    <p className="pb-1 text-muted text-xs">
      {name}
      {about && (
        <>
          {" "}
          (<VisibleText text={about} />)
        </>
      )}
    </p>
    {children}
  </div>
);

/** The command, if the input has no other field. */
function commandOf(input: unknown): string | undefined {
  const { command, ...rest } = (input ?? {}) as Record<string, unknown>;
  return typeof command === "string" && Object.keys(rest).length === 0 ? command : undefined;
}

const DECISIONS = {
  approve: "Approved by",
  edit: "Changed and approved by",
  reject: "Rejected by",
  answer: "Answered by",
  expire: "Expired without a decision:",
};
