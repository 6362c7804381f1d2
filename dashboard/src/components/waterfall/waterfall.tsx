import type { RunViewProps } from "../run-view.ts";

export function Waterfall({ runId }: RunViewProps) {
  return <p className="p-4">{runId}</p>;
}
