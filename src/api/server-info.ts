// What the API says of the process that serves it.

import type { PoolFilter, Pools } from "../config/pools.ts";

export interface ServerInfo {
  version: string;
  folder: string;
  /** How a command for this project begins in any terminal of this machine. */
  command: string;
  startedAt: number;
  drives: boolean;
  /** Any number of processes open the store. */
  isShared: boolean;
  model: string;
  /** Whose runs it drives, if not all. */
  ours?: PoolFilter | undefined;
  /** Of all machines. */
  pools?: Pools;
}
