import type { RunRow } from "../projections/run-row.ts";
import type { Store } from "../stores/store.ts";
import { isDamage } from "./failure.ts";
import type { Verification } from "./schema.ts";

/** Reading a journal verifies its chain (J9): a damaged one is an answer here, not a failure. */
export async function verifyRun(store: Store, { id }: RunRow): Promise<Verification> {
  const head = (await store.head(id))?.hash ?? "";
  try {
    return { ok: true, events: (await store.journal(id)).length, head };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const seq = error.details?.["seq"];
    return { ok: false, events: typeof seq === "number" ? seq - 1 : 0, head, problem: error.message };
  }
}
