// Shows a run as quarantined if its definition is unreadable. A driver would mark the run in the same way.
// Otherwise the run would look ready to continue as long as there is no driver.

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

/** The row of a run that cannot be read. A run that has ended is shown as it ended. */
export const asUnreadable = (row: RunRow, detail: string): RunRow =>
  row.endedAt !== undefined || row.waitingOn?.kind === "quarantine"
    ? row
    : { ...row, status: "suspended", waitingOn: { kind: "quarantine", detail } };
