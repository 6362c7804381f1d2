import { Link } from "@tanstack/react-router";
import { ArrowLeft, Square } from "lucide-react";
import { useState } from "react";
import type { RunSummary } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { type Mode, ModeSwitch } from "./mode-switch.tsx";

export interface ChatHeaderProps {
  /** The latest run of the conversation. */
  run: RunSummary | RunRow;
  mode: Mode;
  onMode(mode: Mode): void;
  filter: string;
  onFilter(filter: string): void;
}

export function ChatHeader({ run, mode, onMode, filter, onFilter }: ChatHeaderProps) {
  const busy = run.endedAt === undefined;
  return (
    <PageHeader
      title={
        <span className="flex items-center gap-2">
          <Link to="/chat" aria-label="All conversations" className="-m-2 p-3 md:hidden">
            <ArrowLeft size={16} aria-hidden />
          </Link>
          <RoleIcon agent={run.agent} /> <AgentName agent={run.agent} full />
        </span>
      }
    >
      <ModeSwitch mode={mode} fixed={busy} onChange={onMode} />
      {busy && <StopButton runId={run.id} />}
      <Input
        type="search"
        aria-label="Find in this conversation"
        placeholder="Find"
        className="ml-auto w-32 max-md:hidden"
        value={filter}
        onChange={(event) => onFilter(event.target.value)}
      />
    </PageHeader>
  );
}

function StopButton({ runId }: { runId: string }) {
  const [isStopping, setStopping] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stop = async () => {
    setStopping(true);
    setProblem(undefined);
    try {
      await client.post("/api/runs/{id}/cancel", { id: runId, body: { reason: "Stopped in the chat" } });
    } catch (error) {
      setStopping(false);
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <Button look="danger" onClick={() => void stop()} disabled={isStopping}>
        <Square size={13} aria-hidden /> Stop
      </Button>
      <span role="status" className="text-muted text-xs">
        {isStopping ? "Stopping…" : problem}
      </span>
    </>
  );
}
