// A17: the request as Cadre recorded it. The view of a call depends on what its tool declares about itself.
// The agent's own description appears separately, with the label "agent says".

import { useQuery } from "@tanstack/react-query";
import { createTwoFilesPatch } from "diff";
import { MessageSquareQuote } from "lucide-react";
import { useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { MERGE_CALL } from "../../../../../src/projections/folds/tool-call.ts";
import { AgentLink } from "../../../display/agent/agent.tsx";
import { CommandParts } from "../../../display/command/command-parts.tsx";
import { CommandPieces, CommandText } from "../../../display/command/command-text.tsx";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { editPreviewQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { BlastRadius } from "./blast-radius.tsx";

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

function agentDescription({ kind, input }: ApprovalView): string | undefined {
  const { description, why } = (input ?? {}) as { description?: unknown; why?: unknown };
  const text = kind === "question" ? why : description;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function RequestBody({ item }: { item: ApprovalView }) {
  const { kind, tool = "", command, detail, preview, target, blastRadius } = item;
  const fields = (item.input ?? {}) as Record<string, unknown>;
  const subject = fields[target?.field ?? ""];
  if (kind === "question" || tool === "")
    return (
      <p className="whitespace-pre-wrap break-words text-lg [overflow-wrap:anywhere]">
        <CommandPieces text={detail ?? ""} blanks="all" />
      </p>
    );
  if (target?.kind === "command" && typeof subject === "string")
    return (
      <>
        <Box text={subject} />
        {command && <CommandParts command={command} />}
      </>
    );
  if (changesFile(item) && preview !== undefined) return <FileChange item={item} />;
  if (tool === MERGE_CALL && preview !== undefined) return <MergeRequest fields={fields} patch={preview} />;
  if (blastRadius || typeof fields["task"] === "string") return <Delegation item={item} fields={fields} />;
  if (target?.kind === "url" || tool.startsWith("mcp__")) return <ServerCall tool={tool} fields={fields} />;
  return <Box text={JSON.stringify(item.input, null, 2)} />;
}

const Box = ({ text }: { text: string }) => (
  <CommandText text={text} className="rounded-md border border-line bg-raised p-3" />
);

/** The work of a run in a worktree, as one diff. */
function MergeRequest({ fields: { branch, into }, patch }: FieldsProps & { patch: string }) {
  return (
    <div>
      <p className="pb-1">
        Merges <code className="break-all font-mono text-xs">{String(branch)}</code> into{" "}
        <code className="break-all font-mono text-xs">{String(into)}</code>:
      </p>
      <Diff whole patch={patch} />
    </div>
  );
}

/** Whether the call changes a file. The preview of such a call is a diff. */
export const changesFile = ({ target }: ApprovalView): boolean =>
  target?.kind === "path" && target.use === "changes";

/** U22: the file change that was recorded with the request. The user can also see it within the whole current file. */
function FileChange({ item }: { item: ApprovalView }) {
  const [whole, setWhole] = useState(false);
  const { path } = item.input as { path: string };
  const { data } = useQuery({ ...editPreviewQuery(item.id, item.input), enabled: whole });
  const change = whole ? data?.change : undefined;
  const hasMoved = data?.fingerprint !== undefined && data.fingerprint !== item.fingerprint;
  const patch = change
    ? createTwoFilesPatch(path, path, change.before, change.after, undefined, undefined, {
        context: 1_000_000,
      })
    : (item.preview ?? "");
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-2 pb-1">
        <code className="break-all font-mono text-xs">
          <VisibleText text={path} />
        </code>
        <Button size="small" look="quiet" aria-pressed={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show only the change" : "Show the whole file"}
        </Button>
      </div>
      {whole && hasMoved && <FileMoved />}
      <Diff whole patch={stripPatchHeader(patch)} />
    </div>
  );
}

export const FileMoved = () => (
  <p className="pb-1 text-sm text-warn">
    The file has changed since the request. Nothing is lost: if you approve, you are asked again with the new
    diff.
  </p>
);

/** Removes the header lines of a patch, because the file name is already shown above the patch. */
export const stripPatchHeader = (patch: string): string =>
  patch
    .replace(/^Index: .*\n/, "")
    .replace(/^=+\n/, "")
    .trimEnd();

interface FieldsProps {
  fields: Record<string, unknown>;
}

/** A delegation: the agent, its task, and the blast radius. */
function Delegation({ item: { blastRadius }, fields }: FieldsProps & { item: ApprovalView }) {
  const named = [blastRadius?.agent, fields["agent"], fields["role"], fields["agentType"]];
  const agent = named.find((value) => typeof value === "string") ?? "";
  return (
    <div className="flex flex-col gap-2">
      <p>
        Starts <AgentLink name={agent} className="font-medium text-accent underline" /> with this task:
      </p>
      <Box text={typeof fields["task"] === "string" ? fields["task"] : JSON.stringify(fields, null, 2)} />
      {blastRadius && <BlastRadius radius={blastRadius} />}
    </div>
  );
}

/** A call to another host or to an MCP server. Shows the host, or the server and its tool, and then the whole input. */
function ServerCall({ tool, fields }: FieldsProps & { tool: string }) {
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  const url = typeof fields["url"] === "string" ? fields["url"] : undefined;
  return (
    <div className="flex flex-col gap-2">
      {server !== undefined && (
        <p>
          Calls <Name text={name ?? ""} /> of the MCP server <Name text={server} />
        </p>
      )}
      {url !== undefined && (
        <p>
          Contacts <Name text={URL.parse(url)?.host ?? "an unreadable URL"} />
        </p>
      )}
      <Box text={server === undefined && url !== undefined ? url : JSON.stringify(fields, null, 2)} />
    </div>
  );
}

const Name = ({ text }: { text: string }) => (
  <strong className="break-all font-semibold">
    <VisibleText text={text} />
  </strong>
);
