// Kills the server of a demo and reports how its runs recovered. Other servers do not have these routes.

import { z } from "zod";
import { route } from "./route.ts";
import { Nothing, named } from "./schemas.ts";

/** What became of the runs after a server was killed, counted from their journals. */
export const Recovery = named(
  "Recovery",
  z.object({
    /** Runs that had not ended, and go on or wait as before; those that nobody has taken up. */
    recovered: z.int(),
    missing: z.int(),
    /** From the server's death until the last of them had gone on. */
    ms: z.int(),
    /** Calls that cannot be taken back and were begun once more, without a person's word (P4). */
    repeated: z.int(),
  }),
);
export type Recovery = z.infer<typeof Recovery>;

export const PlugView = named("PlugView", z.object({ last: Recovery.optional() }));
export type PlugView = z.infer<typeof PlugView>;

/** A demo's server, which visitors may kill to watch its runs recover. */
export interface DemoServer {
  kill(): void;
  /** Undefined: it has not been killed yet. */
  lastRecovery(): Promise<Recovery | undefined>;
}

export function demoRoutes({ web: { plug } }: { web: { plug?: DemoServer } }) {
  if (!plug) return [];
  return [
    route(
      {
        method: "get",
        path: "/api/plug",
        summary: "What became of the runs when the server was last killed",
        answer: PlugView,
      },
      async () => ({ last: await plug.lastRecovery() }),
    ),
    route(
      {
        method: "post",
        path: "/api/plug",
        summary: "Kills the server with SIGKILL; a watcher starts it again",
        answer: Nothing,
        status: 202,
        role: "admin",
      },
      () => {
        plug.kill();
        return {};
      },
    ),
  ];
}
