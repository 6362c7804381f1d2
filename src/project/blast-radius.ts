import { blastRadius } from "../agents/explain/blast-radius.ts";
import { findAgent } from "../agents/load.ts";
import type { FindBlastRadius } from "../loop/parts.ts";
import type { Project } from "./project.ts";

export const createBlastRadius =
  ({ agents, offeredTools, config: { limits } }: Project): FindBlastRadius =>
  async (name, { tree, ...where }) => {
    const set = await agents(name);
    const parts = {
      agents: set.agents,
      offered: offeredTools,
      limits: { ...limits, tree },
      ...where,
    };
    return blastRadius(findAgent(set, name).definition, parts);
  };
