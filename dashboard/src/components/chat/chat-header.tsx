import { Link } from "@tanstack/react-router";
import { ArrowLeft, Bot, MessageCircle, Square } from "lucide-react";
import { useState } from "react";
import type { RunSummary } from "../../../../src/api/client/types.ts";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { client } from "../../live/client.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Input } from "../../ui/input.tsx";
import { PageHeader } from "../shell/page-header.tsx";

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
  const [isRequested, setRequested] = useState(false);
  const { busy, problem, perform } = useAction();
  const isStopping = busy || isRequested;
  const body = { reason: "Stopped in the chat" };
  const stop = async () =>
    setRequested(await perform(() => client.post("/api/runs/{id}/cancel", { id: runId, body })));
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

export type Mode = "chat" | "auto";

const MODES = [
  { mode: "chat", label: "Chat", icon: MessageCircle, title: "One tool at a time; the agent may ask you" },
  { mode: "auto", label: "Auto", icon: Bot, title: "The agent works on its own until it is done" },
] as const;

interface ModeSwitchProps {
  mode: Mode;
  /** True while a run is under way. The mode cannot change during a run. */
  fixed: boolean;
  onChange(mode: Mode): void;
}

/**
 * S4-10, S4-11: switches between chat and auto mode. During a run the switch shows the run's mode and is disabled.
 * Between runs, the user chooses the mode of the next run.
 */
export function ModeSwitch({ mode, fixed, onChange }: ModeSwitchProps) {
  return (
    <fieldset
      className="flex rounded-md border border-line bg-raised p-0.5"
      title={fixed ? "The current run has this mode. You can change it for the next one." : undefined}
    >
      <legend className="sr-only">Mode</legend>
      {MODES.map(({ mode: each, label, icon: Icon, title }) => (
        <label
          key={each}
          title={title}
          className={classNames(
            "flex h-7 items-center gap-1 rounded px-2 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent",
            each === mode ? "bg-surface font-medium text-ink shadow-sm" : "text-muted",
            fixed && each !== mode && "opacity-50",
          )}
        >
          <input
            type="radio"
            name="mode"
            className="sr-only"
            checked={each === mode}
            disabled={fixed}
            onChange={() => onChange(each)}
          />
          <Icon size={13} aria-hidden /> {label}
        </label>
      ))}
    </fieldset>
  );
}
