// The built-in tools. To add one: a file beside this one, and a line here.

import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import type { LokiAccess } from "./loki/client.ts";
import { lokiTools } from "./loki-tools.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { restartServiceTool, type ServiceAccess } from "./restart-service.ts";
import type { Confinement } from "./sandbox/confine.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AnyTool } from "./tool.ts";
import { type WebSetup, webTools } from "./web-tools.ts";
import { writeTool } from "./write.ts";

/** What a project has set up for its tools. */
export interface ToolSetup extends WebSetup {
  bash: Confinement;
  loki: LokiAccess;
  services: ServiceAccess;
}

export const toolsFor = ({ bash, loki, services, web, search }: ToolSetup): readonly AnyTool[] => [
  readTool,
  writeTool,
  editTool,
  globTool,
  grepTool,
  lsTool,
  bashTool(bash),
  todoWriteTool,
  ...lokiTools(loki),
  restartServiceTool(services),
  ...webTools({ web, search }),
];

/** Of a project that has set up nothing: their names, effects and inputs are the same. */
export const builtinTools: readonly AnyTool[] = toolsFor({
  bash: {
    sandbox: { driver: "none", network: "approved", write: [] },
    folder: "/",
    stateFolder: "/",
    isProtected: () => false,
  },
  loki: { settings: undefined, env: {} },
  services: { services: {}, folder: "/" },
  web: { settings: { allow: [], deny: [], private: [] }, ownPort: 0 },
  search: { settings: undefined, env: {} },
});
