import type { Payload } from "../journal/events.ts";

export interface ApprovedCall extends Pick<Payload<"APPROVAL_DECIDED">, "by" | "receipt"> {
  ts: number;
}

/** Whether what began is what was approved, by the two receipts; undefined: there are none. */
export function describeReceipt(
  begun: string | undefined,
  { by, receipt, ts }: ApprovedCall,
): string | undefined {
  if (begun === undefined || receipt === undefined) return undefined;
  const time = new Date(ts).toTimeString().slice(0, 5);
  return begun === receipt
    ? `identical to what was approved ${time} by ${by}, sha256 ${receipt}`
    : `NOT what was approved ${time} by ${by}: sha256 ${begun}, approved ${receipt}`;
}
