// U37: forks a run at an event. An empty field keeps the value of the original run.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ForkBody } from "../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { client } from "../../live/client.ts";
import { agentQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Form, InputField, TextArea } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";

export interface ForkPoint {
  runId: string;
  seq: number;
  agent: string;
}

export interface ForkDialogProps {
  /** The event at which to fork. Undefined while the dialog is closed. */
  point: ForkPoint | undefined;
  onClose(): void;
  onForked(runId: string): void;
}

export function ForkDialog({ point, onClose, onForked }: ForkDialogProps) {
  return (
    <Dialog
      open={point !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={point ? `Fork ${point.agent} at event ${point.seq}` : "Fork"}
      description="A new run continues from there with your changes; this run stays as it is. Calls that were already made are not repeated: their recorded results are used."
    >
      {point && <ForkForm point={point} onClose={onClose} onForked={onForked} />}
    </Dialog>
  );
}

function ForkForm({ point, onClose, onForked }: ForkDialogProps & { point: ForkPoint }) {
  const [message, setMessage] = useState("");
  const [model, setModel] = useState("");
  const [file, setFile] = useState<string>();
  const [allowEffects, setAllowEffects] = useState(false);
  const { busy, problem, perform } = useAction();
  const fork = () =>
    perform(async () => {
      const edit = omitUndefined({
        message: message.trim() || undefined,
        model: model.trim() || undefined,
        agent: file,
      });
      const body: ForkBody = omitUndefined({
        seq: point.seq,
        edit: Object.keys(edit).length === 0 ? undefined : edit,
        allowEffects: allowEffects || undefined,
      });
      onForked((await client.post("/api/runs/{id}/fork", { id: point.runId, body })).runId);
      onClose();
    });
  return (
    <Form
      className="flex min-h-0 flex-col gap-3 overflow-auto p-4 text-sm"
      onSubmit={() => !busy && void fork()}
    >
      <Field label="New message at this point">
        <TextArea
          rows={3}
          autoFocus
          placeholder={point.seq === 1 ? "Replaces the task" : "Leave empty to continue without a message"}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
      </Field>
      <InputField label="Model" placeholder="Unchanged" value={model} onText={setModel} />
      <AgentFile agent={point.agent} text={file} onChange={setFile} />
      <label className="flex min-h-10 items-start gap-2 md:min-h-6">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={allowEffects}
          onChange={({ target }) => setAllowEffects(target.checked)}
        />
        <span>
          Allow effects
          <span className="block text-muted text-xs">
            {allowEffects
              ? "Calls run again if the rules allow them, even calls that the original run has made."
              : "A call without a recorded result that cannot be undone asks you first."}
          </span>
        </span>
      </label>
      <Problem text={problem} />
      <div className="flex justify-end gap-2">
        <Button className="max-md:h-10" onClick={onClose}>
          Close
        </Button>
        <Button look="main" type="submit" className="max-md:h-10" disabled={busy}>
          Fork
        </Button>
      </div>
    </Form>
  );
}

interface AgentFileProps {
  agent: string;
  text: string | undefined;
  onChange(text: string | undefined): void;
}

/** The agent's file loads when the user wants to edit it. The edit applies only to the fork, not to the file on disk. */
function AgentFile({ agent, text, onChange }: AgentFileProps) {
  const [open, setOpen] = useState(false);
  const { data, isError } = useQuery({ ...agentQuery(agent), enabled: open });
  const source = data?.source?.text;
  if (!open)
    return (
      <Button look="quiet" size="small" className="self-start max-md:h-10" onClick={() => setOpen(true)}>
        Edit the agent’s file for this fork
      </Button>
    );
  if (isError || (data && source === undefined)) return <p className="text-muted">This agent has no file.</p>;
  return (
    <Field label="The agent’s file, for this fork only">
      <TextArea
        rows={10}
        spellCheck={false}
        className="font-mono text-xs"
        value={text ?? source ?? ""}
        onChange={({ target }) => onChange(target.value === source ? undefined : target.value)}
      />
    </Field>
  );
}
