// That a run cannot be driven because what it has pinned cannot be read is said over what its journal says, as it is of a
// run that a driver has set aside: whoever looks while nobody drives must not be told that it only has to go on.

import { loadDefinition } from "../../loop/drive/run-journal.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { isDamagedJournal } from "../server/http-errors.ts";

export const markUnreadable = (store: Store, rows: readonly RunRow[]): Promise<RunRow[]> =>
  Promise.all(
    rows.map(async (row): Promise<RunRow> => {
      const detail = row.endedAt === undefined ? await damageOf(store, row) : undefined;
      if (detail === undefined || row.waitingOn?.kind === "quarantine") return row;
      return { ...row, status: "suspended", waitingOn: { kind: "quarantine", detail } };
    }),
  );

async function damageOf(store: Store, { definition }: RunRow): Promise<string | undefined> {
  try {
    await loadDefinition(store, definition);
    return undefined;
  } catch (error) {
    if (isDamagedJournal(error)) return error.message;
    throw error;
  }
}
