import { Button } from "../../ui/button.tsx";

/** A run that is looked at, at a moment before its beginning. */
export function NotStarted({ agent, onNow, onRoot }: { agent: string; onNow(): void; onRoot(): void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <p className="font-medium">{agent} had not begun at this moment.</p>
      <span className="flex gap-2">
        <Button className="max-md:h-10" onClick={onRoot}>
          Show the root
        </Button>
        <Button look="main" className="max-md:h-10" onClick={onNow}>
          Back to now
        </Button>
      </span>
    </div>
  );
}
