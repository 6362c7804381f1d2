// A17: the request as Cadre recorded it, drawn by kind. The agent's own description is shown separately and labelled as
// such.

import { MessageSquareQuote } from "lucide-react";
import { lazy, Suspense } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { CommandParts } from "../../../display/command/command-parts.tsx";
import { CommandPieces, CommandText } from "../../../display/command/command-text.tsx";
import { Loading } from "../../../display/page-state.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Delegation } from "./delegation.tsx";
import { ServerCall } from "./server-call.tsx";

const FileBody = lazy(async () => ({ default: (await import("./file-change.tsx")).FileChange }));

export function RequestView({ item }: { item: ApprovalView }) {
  const description = agentDescription(item);
  return (
    <div className="flex flex-col gap-3">
      <RequestBody item={item} />
      {description !== undefined && (
        <p className="flex items-start gap-2 rounded-md border border-line border-dashed p-2 text-muted text-sm">
          <MessageSquareQuote size={14} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">
            <span className="font-medium">agent says:</span> <VisibleText text={description} />
          </span>
        </p>
      )}
    </div>
  );
}

function RequestBody({ item }: { item: ApprovalView }) {
  const { kind, tool = "", command, detail, preview } = item;
  const fields = (item.input ?? {}) as Record<string, unknown>;
  if (kind === "question" || tool === "")
    return (
      <p className="whitespace-pre-wrap break-words text-lg [overflow-wrap:anywhere]">
        <CommandPieces text={detail ?? ""} blanks="all" />
      </p>
    );
  if (tool === "Bash" && typeof fields["command"] === "string")
    return (
      <>
        <CommandText text={fields["command"]} className={BOX} />
        {command && <CommandParts command={command} />}
      </>
    );
  if ((tool === "Write" || tool === "Edit") && preview !== undefined)
    return (
      <Suspense fallback={<Loading what="Loading the change" />}>
        <FileBody item={item} />
      </Suspense>
    );
  if (tool === "delegate" || item.blastRadius || typeof fields["task"] === "string")
    return <Delegation item={item} />;
  if (tool === "WebFetch" || tool.startsWith("mcp__")) return <ServerCall tool={tool} fields={fields} />;
  return <CommandText text={JSON.stringify(item.input, null, 2)} className={BOX} />;
}

const BOX = "rounded-md border border-line bg-raised p-3";

function agentDescription({ kind, input }: ApprovalView): string | undefined {
  const { description, why } = (input ?? {}) as { description?: unknown; why?: unknown };
  const text = kind === "question" ? why : description;
  return typeof text === "string" && text !== "" ? text : undefined;
}
