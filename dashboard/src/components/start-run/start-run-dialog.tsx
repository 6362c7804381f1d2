// Starts a run. Opened from the list of runs, the palette, and an agent's page.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { AgentView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { nameWithTitle } from "../../display/agent/agent-face.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input, Select, TextArea } from "../../ui/input.tsx";
import { type Draft, draftProblem, toRequest } from "./draft.ts";

export interface StartRunDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** Preselected agent. */
  agent?: string | undefined;
}

export function StartRunDialog({ open, onOpenChange, agent }: StartRunDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Start a run"
      description="An agent works on your task. Everything it does is recorded, and it asks before calls that need approval."
    >
      <StartForm agent={agent} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

const LAST_AGENT = "cadre.start.agent";

function StartForm({ agent, onClose }: { agent: string | undefined; onClose(): void }) {
  const agents = useQuery(agentsQuery);
  const settings = useQuery(settingsQuery);
  if (agents.isError) return <Failure error={agents.error} onAgain={() => void agents.refetch()} />;
  if (!agents.data || settings.isPending) return <Loading what="Loading the agents" />;
  const choices = agents.data.agents
    .filter(({ kind }) => kind === "main")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const names = choices.map(({ name }) => name);
  if (names.length === 0) return <p className="p-4 text-sm">There is no main agent to start.</p>;
  const wanted = [agent, localStorage.getItem(LAST_AGENT), settings.data?.agent];
  return (
    <Fields
      choices={choices}
      first={wanted.find((name) => names.includes(name ?? "")) ?? names[0]!}
      onClose={onClose}
    />
  );
}

interface FieldsProps extends Pick<AgentFieldProps, "choices"> {
  first: string;
  onClose(): void;
}

function Fields({ choices, first, onClose }: FieldsProps) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>({
    agent: first,
    task: "",
    mode: "auto",
    maxCost: "",
    maxTurns: "",
  });
  const [isTried, setTried] = useState(false);
  // One key for all attempts of this form, so that a lost response does not start the run twice.
  const key = useRef(`page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`);
  const task = useRef<HTMLTextAreaElement>(null);
  useEffect(() => task.current?.focus(), []);
  const problem = draftProblem(draft);
  const lacking = useRefusal("operator");
  const starting = useMutation({
    mutationFn: () => client.post("/api/runs", { body: toRequest(draft), idempotencyKey: key.current }),
    onSuccess: ({ runId }) => {
      localStorage.setItem(LAST_AGENT, draft.agent);
      onClose();
      void navigate({ to: "/r/$runId", params: { runId } });
    },
    // A refused request may be corrected and is then a new one.
    onError: () => {
      key.current = `${key.current}+`;
    },
  });
  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    setTried(true);
    if (problem === undefined && !starting.isPending) starting.mutate();
  };
  const refusal = starting.isError ? messageOf(starting.error) : isTried ? problem : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 overflow-auto p-4 text-sm">
      <AgentField choices={choices} chosen={draft.agent} onChange={(next) => change({ agent: next })} />
      <Field label="Task">
        {(id) => (
          <TextArea
            id={id}
            ref={task}
            rows={5}
            placeholder="Describe the task as you would to a colleague"
            value={draft.task}
            aria-invalid={isTried && draft.task.trim() === ""}
            onChange={({ target }) => change({ task: target.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
            }}
          />
        )}
      </Field>
      <ModeChoice mode={draft.mode} onChange={(mode) => change({ mode })} />
      <LimitFields draft={draft} onChange={change} />
      {refusal !== undefined && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {refusal}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button className="max-md:h-10" onClick={onClose}>
          {" "}
          Cancel
        </Button>
        <Button
          type="submit"
          look="main"
          className="max-md:h-10"
          disabled={starting.isPending || lacking !== undefined}
          title={lacking}
        >
          {starting.isPending ? "Starting…" : "Start"}
        </Button>
      </div>
    </form>
  );
}

const MODES = [
  { mode: "auto", label: "Auto", what: "works on its own until done" },
  { mode: "chat", label: "Chat", what: "answers, then waits for you" },
] as const;

function ModeChoice({ mode, onChange }: { mode: Draft["mode"]; onChange(mode: Draft["mode"]): void }) {
  return (
    <fieldset className="flex flex-wrap gap-x-5">
      <legend className="mb-1 font-medium">Mode</legend>
      {MODES.map((each) => (
        <label key={each.mode} className="flex min-h-10 items-center gap-1.5 md:min-h-7">
          <input
            type="radio"
            name="mode"
            className="accent-accent"
            checked={mode === each.mode}
            onChange={() => onChange(each.mode)}
          />
          <span>
            {each.label} <span className="text-muted">({each.what})</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function LimitFields({ draft, onChange }: { draft: Draft; onChange(next: Partial<Draft>): void }) {
  return (
    <details>
      <summary className="min-h-10 cursor-pointer content-center text-muted md:min-h-7">
        Limits (optional)
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-3">
        <Field quiet label="Cost of the whole tree ($)">
          {(id) => (
            <Input
              id={id}
              inputMode="decimal"
              className="max-md:h-10"
              value={draft.maxCost}
              onChange={({ target }) => onChange({ maxCost: target.value })}
            />
          )}
        </Field>
        <Field quiet label="Turns">
          {(id) => (
            <Input
              id={id}
              inputMode="numeric"
              className="max-md:h-10"
              value={draft.maxTurns}
              onChange={({ target }) => onChange({ maxTurns: target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  );
}

interface AgentFieldProps {
  choices: readonly AgentView[];
  chosen: string;
  onChange(name: string): void;
}

/** Select box for the agent, by title and name. */
function AgentField({ choices, chosen, onChange }: AgentFieldProps) {
  return (
    <Field label="Agent">
      {(id) => (
        <Select
          id={id}
          className="max-md:h-10"
          value={chosen}
          onChange={({ target }) => onChange(target.value)}
        >
          {choices.map((each) => (
            <option key={each.name} value={each.name}>
              {nameWithTitle(each)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
