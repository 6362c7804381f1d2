import type { RunViewProps } from "../run-view.ts";

export function RunPanel({ runId }: RunViewProps) {
  return <p className="p-4">{runId}</p>;
}
