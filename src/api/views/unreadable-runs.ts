// Shows a run as quarantined if its definition is unreadable, as a driver would mark the run.
// Without this, the run would look ready to continue until a driver tries it.

import { loadDefinition } from "../../loop/drive/run-journal.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { unlessDamaged } from "./read-runs.ts";

export const markUnreadable = (store: Store, rows: readonly RunRow[]): Promise<RunRow[]> =>
  Promise.all(
    rows.map(async (row): Promise<RunRow> => {
      const check = () => loadDefinition(store, row.definition).then(() => undefined);
      const detail =
        row.endedAt === undefined ? await unlessDamaged(check, ({ message }) => message) : undefined;
      return detail === undefined ? row : asUnreadable(row, detail);
    }),
  );

/** Returns the row of an unreadable run with the status of a quarantined run. The row of an ended run stays as it is. */
export const asUnreadable = (row: RunRow, detail: string): RunRow =>
  row.endedAt !== undefined || row.waitingOn?.kind === "quarantine"
    ? row
    : { ...row, status: "suspended", waitingOn: { kind: "quarantine", detail } };
