// Starts a run of one agent from its page.

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useId, useState } from "react";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { TextArea } from "../../ui/input.tsx";

export function StartForm({ agent }: { agent: string }) {
  const [open, setOpen] = useState(false);
  const [task, setTask] = useState("");
  const [key, setKey] = useState("");
  const field = useId();
  const navigate = useNavigate();
  // Under one key it is started once, however often it is sent.
  const start = useMutation({
    mutationFn: () => client.startRun({ agent, task, attended: true }, key),
    onSuccess: ({ runId }) => void navigate({ to: "/r/$runId", params: { runId } }),
  });
  const show = () => {
    setKey(crypto.randomUUID());
    setOpen(true);
  };
  useHotkeys([{ keys: "s", label: "Start a run of this agent", run: show }]);
  const send = () => task.trim() !== "" && !start.isPending && start.mutate();
  return (
    <>
      <Button look="main" onClick={show} className="h-10 md:h-8" title="Start a run (s)">
        <Play size={14} aria-hidden />
        Start a run
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={`Start a run of ${agent}`}>
        <form
          className="flex flex-col gap-3 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <label htmlFor={field} className="text-muted text-sm">
            What should it do?
          </label>
          <TextArea
            id={field}
            rows={5}
            value={task}
            onChange={({ target }) => setTask(target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
            }}
          />
          {start.isError && (
            <p role="alert" className="text-bad text-sm">
              {start.error.message}
            </p>
          )}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button look="main" type="submit" disabled={task.trim() === "" || start.isPending}>
              {start.isPending ? "Starting…" : "Start"}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
