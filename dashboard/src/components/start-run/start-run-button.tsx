import { Play } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../live/me.ts";
import type { ButtonProps } from "../../ui/button.tsx";
import { Button } from "../../ui/button.tsx";
import { StartRunDialog } from "./start-run-dialog.tsx";

export interface StartRunButtonProps extends Pick<ButtonProps, "look" | "size" | "className"> {
  /** Preselected agent. */
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
      {open && <StartRunDialog open onOpenChange={setOpen} agent={agent} />}
    </>
  );
}
