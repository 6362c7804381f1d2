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
import { type StartChoices, startChoices } from "./start-choices.ts";

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
  const choices = startChoices(agents.data.agents);
  const names = [...choices.own, ...choices.builtIn].map(({ name }) => name);
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
  choices: StartChoices<AgentView>;
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
      <AgentField choices={choices} agent={draft.agent} onChange={(agent) => change({ agent })} />
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
  const isViewer = useRefusal("operator") !== undefined;
  if (isViewer) return null;
  return (
    <>
      <Button look={look} {...rest} onClick={() => setOpen(true)}>
        <Play size={14} aria-hidden /> Start a run
      </Button>
      {open && <StartRunDialog onClose={() => setOpen(false)} agent={agent} />}
    </>
  );
}

interface AgentFieldProps {
  choices: StartChoices<AgentView>;
  agent: string;
  onChange(agent: string): void;
}

/** Value of the option that shows the built-in agents. It is no agent's name. */
const SHOW_BUILT_IN = "";

/** Built-in agents are hidden behind the last option, unless one is selected or the project has no agents. */
function AgentField({ choices: { own, builtIn }, agent, onChange }: AgentFieldProps) {
  const isBuiltIn = builtIn.some(({ name }) => name === agent);
  const [isOpen, setOpen] = useState(isBuiltIn || own.length === 0);
  const option = (each: AgentView) => (
    <option key={each.name} value={each.name}>
      {nameWithTitle(each)}
    </option>
  );
  return (
    <SelectField
      label="Agent"
      value={agent}
      onText={(name) => (name === SHOW_BUILT_IN ? setOpen(true) : onChange(name))}
    >
      {own.length > 0 && <optgroup label="Your agents">{own.map(option)}</optgroup>}
      {isOpen && <optgroup label="Built in">{builtIn.map(option)}</optgroup>}
      {!isOpen && builtIn.length > 0 && <option value={SHOW_BUILT_IN}>Show built-in agents…</option>}
    </SelectField>
  );
}
