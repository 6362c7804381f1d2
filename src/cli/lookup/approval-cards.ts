// Loads open items together with the tasks of their runs, for a reader who has not followed the runs.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView } from "../../api/client/types.ts";
import type { Card } from "../view/approval.ts";

export async function loadCards(client: CadreClient, items: readonly ApprovalView[]): Promise<Card[]> {
  const runIds = [...new Set(items.map(({ runId }) => runId))];
  const runs = await Promise.all(runIds.map((id) => client.get("/api/runs/{id}", { id })));
  const tasks = new Map(runs.map(({ id, task }) => [id, task]));
  return items.map((item) => ({ item, task: tasks.get(item.runId)! }));
}
