// U21: asks a certain person to decide. The item shows who was asked, but other people with the permission can still decide.

import { UserRoundPlus } from "lucide-react";
import { useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { omitUndefined } from "../../../../../src/omit-undefined.ts";
import { clockTime } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { approvalsQuery } from "../../../live/queries.ts";
import { queryClient } from "../../../live/query-client.ts";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { InputField } from "../../../ui/input.tsx";
import { ActionDialog } from "../../action-dialog.tsx";

export function AskPerson({ item }: { item: ApprovalView }) {
  const [open, setOpen] = useState(false);
  const [person, setPerson] = useState("");
  const [note, setNote] = useState("");
  useHotkeys([{ keys: "p", label: "Ask another person to decide", run: () => setOpen(true) }]);
  const ask = async () => {
    const body = omitUndefined({ person: person.trim(), note: note.trim() || undefined });
    await client.post("/api/approvals/{id}/ask", { id: item.id, body });
    void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
  };
  return (
    <>
      <Button size="small" look="quiet" className="max-md:h-10" onClick={() => setOpen(true)}>
        <UserRoundPlus size={14} aria-hidden /> Ask someone else
      </Button>
      <ActionDialog
        open={open}
        onClose={() => setOpen(false)}
        title="Ask someone else"
        description="The item shows who you asked. Other people who are allowed to decide still can."
        action={ask}
        submit="Ask"
        cancel="Close"
        disabled={person.trim() === ""}
      >
        <InputField label="Who should decide" autoFocus maxLength={200} value={person} onText={setPerson} />
        <InputField
          label="What they should know (optional)"
          maxLength={2_000}
          value={note}
          onText={setNote}
        />
      </ActionDialog>
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
