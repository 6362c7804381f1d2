import { classNames } from "../ui/class-names.ts";
import { VisibleText } from "./visible-text.tsx";

const LOOKS: Record<string, string> = { "+": "bg-good-soft", "-": "bg-bad-soft", "@": "text-muted" };

/** A unified diff, line by line. */
export function Diff({ patch }: { patch: string }) {
  let at = 0;
  return (
    <pre className="overflow-x-auto font-mono text-xs">
      {patch.split("\n").map((line) => (
        <div key={at++} className={classNames("px-2", LOOKS[line.charAt(0)])}>
          <VisibleText text={line} />
        </div>
      ))}
    </pre>
  );
}
