// The dialog that starts a run. The list of runs, the palette and an agent's page open it.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { AgentView } from "../../../../src/api/client/types.ts";
import { nameWithTitle } from "../../display/agent/agent-face.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { attachmentsField } from "../../display/sent-file.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Form, InputField, SelectField, TextArea } from "../../ui/input.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { AttachButton, FilesToSend, useFiles } from "../attach-files.tsx";
import { type Draft, draftProblem, toRequest } from "./draft.ts";

interface StartRunDialogProps {
  onClose(): void;
  /** The agent that is selected when the dialog opens. */
  agent?: string | undefined;
}

export function StartRunDialog({ onClose, agent }: StartRunDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Start a run"
      description="An agent works on your task. Everything it does is recorded, and it asks before calls that need approval."
    >
      <StartForm agent={agent} onClose={onClose} />
    </Dialog>
  );
}

const LAST_AGENT = "cadre.start.agent";

function StartForm({ agent, onClose }: StartRunDialogProps) {
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

interface FieldsProps {
  choices: readonly AgentView[];
  /** The agent that is selected when the dialog opens. */
  first: string;
  onClose(): void;
}

const EMPTY = { task: "", mode: "auto", maxCost: "", maxTurns: "" } as const;

function Fields({ choices, first, onClose }: FieldsProps) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, agent: first });
  const [isTried, setTried] = useState(false);
  // All attempts of this form use the same key, so that a lost response does not start the run twice.
  const key = useRef(`page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`);
  const task = useRef<HTMLTextAreaElement>(null);
  useEffect(() => task.current?.focus(), []);
  const chosen = useFiles(() => {
    key.current = `${key.current}+`;
  });
  const problem = draftProblem(draft);
  const lacking = useRefusal("operator");
  const { busy, problem: failure, perform } = useAction();
  const start = async () => {
    const { runId } = await client.post("/api/runs", {
      body: { ...toRequest(draft), ...attachmentsField(chosen.files) },
      idempotencyKey: key.current,
    });
    localStorage.setItem(LAST_AGENT, draft.agent);
    onClose();
    void navigate({ to: "/r/$runId", params: { runId } });
  };
  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next });
  const submit = async () => {
    setTried(true);
    if (problem !== undefined || busy || (await perform(start))) return;
    // The user can correct a refused request. The corrected request is a new request, so it gets a new key.
    key.current = `${key.current}+`;
  };
  const refusal = failure ?? (isTried ? problem : undefined);
  return (
    <Form
      onSubmit={() => void submit()}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
      }}
      className="flex flex-col gap-3 overflow-auto p-4 text-sm"
    >
      <SelectField label="Agent" value={draft.agent} onText={(name) => change({ agent: name })}>
        {choices.map((each) => (
          <option key={each.name} value={each.name}>
            {nameWithTitle(each)}
          </option>
        ))}
      </SelectField>
      <Field label="Task">
        <TextArea
          ref={task}
          rows={5}
          placeholder="Describe the task as you would to a colleague"
          value={draft.task}
          aria-invalid={isTried && draft.task.trim() === ""}
          onChange={({ target }) => change({ task: target.value })}
          onPaste={chosen.onPaste}
        />
      </Field>
      <div className="flex flex-wrap items-start gap-2">
        <AttachButton chosen={chosen} />
        <FilesToSend chosen={chosen} />
      </div>
      <RadioGroup legend="Mode" choices={MODES} value={draft.mode} onChange={(mode) => change({ mode })} />
      <LimitFields draft={draft} onChange={change} />
      {refusal !== undefined && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {refusal}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button className="max-md:h-10" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          look="main"
          className="max-md:h-10"
          disabled={busy || lacking !== undefined}
          title={lacking}
        >
          {busy ? "Starting…" : "Start"}
        </Button>
      </div>
    </Form>
  );
}

const MODES = {
  auto: "Auto (works on its own until the task is done)",
  chat: "Chat (answers and then waits for you)",
};

function LimitFields({ draft, onChange }: { draft: Draft; onChange(next: Partial<Draft>): void }) {
  return (
    <details>
      <summary className="min-h-10 cursor-pointer content-center text-muted md:min-h-7">
        Limits (optional)
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-3">
        <InputField
          quiet
          label="Cost of the whole tree ($)"
          inputMode="decimal"
          value={draft.maxCost}
          onText={(maxCost) => onChange({ maxCost })}
        />
        <InputField
          quiet
          label="Turns"
          inputMode="numeric"
          value={draft.maxTurns}
          onText={(maxTurns) => onChange({ maxTurns })}
        />
      </div>
    </details>
  );
}

interface StartRunButtonProps extends Pick<ButtonProps, "look" | "size" | "className"> {
  /** The agent that is selected when the dialog opens. */
  agent?: string;
}

export function StartRunButton({ agent, look = "main", ...rest }: StartRunButtonProps) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("operator");
  return (
    <>
      <Button
        look={look}
        {...rest}
        disabled={refusal !== undefined}
        title={refusal}
        onClick={() => setOpen(true)}
      >
        <Play size={14} aria-hidden /> Start a run
      </Button>
      {open && <StartRunDialog onClose={() => setOpen(false)} agent={agent} />}
    </>
  );
}
