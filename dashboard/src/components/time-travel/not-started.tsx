import { Button } from "../../ui/button.tsx";

/** Shown when the selected moment is before the run started. */
export function NotStarted({ agent, onNow, onRoot }: { agent: string; onNow(): void; onRoot(): void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <p className="font-medium">{agent} had not started at this moment.</p>
      <span className="flex gap-2">
        <Button className="max-md:h-10" onClick={onRoot}>
          {" "}
          Show the root run
        </Button>
        <Button look="main" className="max-md:h-10" onClick={onNow}>
          Back to now
        </Button>
      </span>
    </div>
  );
}
