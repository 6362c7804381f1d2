// U21: asks another person to decide. The item shows who was asked and stays open to everyone who may decide.

import { UserRoundPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../../src/omit-undefined.ts";
import { clockTime } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { approvalsQuery } from "../../../live/queries.ts";
import { queryClient } from "../../../live/query-client.ts";
import { useAction } from "../../../live/use-action.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Input } from "../../../ui/input.tsx";
import { Problem } from "../../../ui/problem.tsx";

export function AskPerson({ item }: { item: ApprovalView }) {
  const [open, setOpen] = useState(false);
  const [person, setPerson] = useState("");
  const [note, setNote] = useState("");
  const { busy, problem, perform } = useAction();
  useHotkeys([{ keys: "p", label: "Ask another person to decide", run: () => setOpen(true) }]);
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    const asked = omitUndefined({ person: person.trim(), note: note.trim() || undefined });
    const done = await perform(() => client.post("/api/approvals/{id}/ask", { id: item.id, body: asked }));
    if (!done) return;
    setOpen(false);
    void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
  };
  return (
    <>
      <Button size="small" look="quiet" className="max-md:h-10" onClick={() => setOpen(true)}>
        <UserRoundPlus size={14} aria-hidden /> Ask someone else
      </Button>
      <Dialog
        title="Ask someone else"
        open={open}
        onOpenChange={setOpen}
        description="The item shows who you asked. Everyone who may decide still can."
      >
        <form className="flex flex-col gap-3 p-4 text-sm" onSubmit={(event) => void ask(event)}>
          <Field label="Who should decide">
            {(id) => (
              <Input
                id={id}
                autoFocus
                maxLength={200}
                value={person}
                className="max-md:h-11"
                onChange={(event) => setPerson(event.target.value)}
              />
            )}
          </Field>
          <Field label="What they should know (optional)">
            {(id) => (
              <Input
                id={id}
                maxLength={2_000}
                value={note}
                className="max-md:h-11"
                onChange={(event) => setNote(event.target.value)}
              />
            )}
          </Field>
          <Problem text={problem} />
          <div className="flex justify-end gap-2">
            <Button className="max-md:h-11" onClick={() => setOpen(false)}>
              Close
            </Button>
            <Button look="main" type="submit" className="max-md:h-11" disabled={busy || person.trim() === ""}>
              {busy ? "Recording…" : "Ask"}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

export function AskedPerson({ item: { asked } }: { item: ApprovalView }) {
  if (!asked) return null;
  return (
    <p className="rounded-md bg-info-soft px-2.5 py-1.5 text-info text-sm">
      For <VisibleText text={asked.person} />, asked by <VisibleText text={asked.by} /> at{" "}
      {clockTime(asked.at)}
      {asked.note !== undefined && (
        <>
          : <VisibleText text={asked.note} />
        </>
      )}
    </p>
  );
}
