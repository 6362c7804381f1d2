// Kills the server of a demo and reports how its runs recovered. Only a demo's server has these routes.

import { z } from "zod";
import { route } from "./route.ts";
import { namedObject } from "./schemas.ts";

/** The recovery of runs after the server was killed. The numbers come from the journals. */
export const Recovery = namedObject("Recovery", {
  /** `recovered` counts unfinished runs that continue or wait as before. `missing` counts unfinished runs that no driver has taken over. */
  recovered: z.int(),
  missing: z.int(),
  /** Milliseconds from the server's death until the last unfinished run continued. */
  ms: z.int(),
  /** Number of unsafe calls that were started again without a person's decision (P4). */
  repeated: z.int(),
});
export type Recovery = z.infer<typeof Recovery>;

export const PlugView = namedObject("PlugView", { last: Recovery.optional() });

/** The server of a demo. Visitors can kill it to watch its runs recover. */
export interface DemoServer {
  kill(): void;
  /** Describes the last recovery. Returns undefined if the server has not been killed yet. */
  lastRecovery(): Promise<Recovery | undefined>;
}

export function demoRoutes({ web: { plug } }: { web: { plug?: DemoServer } }) {
  if (!plug) return [];
  return [
    route.get(
      "/api/plug",
      { summary: "How the runs recovered when the server was last killed", answer: PlugView },
      async () => ({ last: await plug.lastRecovery() }),
    ),
    route.post(
      "/api/plug",
      { summary: "Kill the server with SIGKILL; a supervisor restarts it", status: 202, role: "admin" },
      () => plug.kill(),
    ),
  ];
}
