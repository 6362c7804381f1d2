import { Check, Ellipsis, Hash, History, Link2, Pin, PinOff, ShieldCheck, Terminal } from "lucide-react";
import type { ReactNode } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import { useCommand } from "../../display/command/command.tsx";
import { client } from "../../live/client.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { IconButton } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { showToast } from "../notices/toasts.tsx";
import { usePinnedRun } from "./pinned-run.tsx";

const SHORT_ID = 12;

/** The actions and details of a run that are rarely needed. */
export function MoreMenu({ run: { row }, onTimeTravel }: { run: RunJournal; onTimeTravel(): void }) {
  const [pinned, pin] = usePinnedRun();
  const isPinned = pinned === row.id;
  const id = row.id.slice(0, SHORT_ID);
  const command = useCommand()(`show ${id}`);
  return (
    <Menu label="More about this run" trigger={<IconButton icon={Ellipsis} label="More" title="More" />}>
      <MenuItem icon={<History size={14} />} keys="," onSelect={onTimeTravel}>
        Time travel
      </MenuItem>
      <MenuItem
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        onSelect={() => pin(isPinned ? undefined : row.id)}
      >
        {isPinned ? "Unpin" : "Pin to every page"}
      </MenuItem>
      <MenuItem icon={<ShieldCheck size={14} />} onSelect={() => void verify(row.id)}>
        Verify the journal
      </MenuItem>
      <MenuLine />
      <CopyItem text={`${location.origin}/r/${row.id}`} icon={<Link2 size={14} />}>
        Copy link
      </CopyItem>
      <CopyItem text={id} icon={<Hash size={14} />}>
        Copy run id
      </CopyItem>
      <CopyItem text={command} icon={<Terminal size={14} />}>
        Copy as command
      </CopyItem>
      <CopyItem text={command.replace(`show ${id}`, `export ${id}`)} icon={<Terminal size={14} />}>
        Copy command to export
      </CopyItem>
      <CopyItem text={command.replace(`show ${id}`, `verify ${id}`)} icon={<Terminal size={14} />}>
        Copy command to verify
      </CopyItem>
    </Menu>
  );
}

/** Checks the hash chains of the run and the runs below it, and that only approved calls ran. */
async function verify(id: string): Promise<void> {
  try {
    const { ok, runs, events, receipts, problem } = await client.get("/api/runs/{id}/verify", { id });
    const checked = `${plural(runs, "run")}, ${plural(events, "event")}, ${plural(receipts, "approved call")}`;
    showToast(ok ? `Verified: ${checked}` : `Not as recorded: ${problem ?? ""}`, !ok);
  } catch (error) {
    showToast(`Not verified: ${error instanceof Error ? error.message : String(error)}`, true);
  }
}

function CopyItem({ text, icon, children }: { text: string; icon: ReactNode; children: ReactNode }) {
  const { copied, copy } = useCopy(text);
  return (
    <MenuItem icon={copied ? <Check size={14} /> : icon} staysOpen onSelect={copy}>
      {copied ? "Copied" : children}
    </MenuItem>
  );
}
