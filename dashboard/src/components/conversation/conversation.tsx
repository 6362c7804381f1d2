import type { RunViewProps } from "../run-view.ts";

export function Conversation({ runId }: RunViewProps) {
  return <p className="p-4">{runId}</p>;
}
