import type { ReactNode } from "react";
import { omitUndefined } from "../../../src/omit-undefined.ts";
import { useAction } from "../live/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/input.tsx";
import { Problem } from "../ui/problem.tsx";

interface ActionDialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  description?: string;
  /** The dialog closes when the action succeeds. Otherwise it shows the error and keeps what the user typed. */
  action(): Promise<unknown>;
  /** Label of the button that performs the action. */
  submit: string;
  /** Label of the button that closes the dialog. */
  cancel: string;
  isDanger?: boolean;
  disabled?: boolean;
  children?: ReactNode;
}

/** A dialog with a form for one action. Ctrl+Enter submits the form too. */
export function ActionDialog(props: ActionDialogProps) {
  const { open, onClose, title, description, action, submit, cancel, isDanger, children } = props;
  const { busy, problem, perform } = useAction();
  const disabled = busy || props.disabled === true;
  const run = async () => {
    if (!disabled && (await perform(action))) onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={title}
      {...omitUndefined({ description })}
    >
      <Form
        className="flex flex-col gap-3 overflow-auto p-4 text-sm"
        onSubmit={() => void run()}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void run();
        }}
      >
        {children}
        <Problem text={problem} />
        <div className="flex justify-end gap-2">
          <Button className="max-md:h-11" onClick={onClose}>
            {cancel}
          </Button>
          <Button
            look={isDanger ? "danger" : "main"}
            type="submit"
            className="max-md:h-11"
            disabled={disabled}
          >
            {busy ? "Recording…" : submit}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
