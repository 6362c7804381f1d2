// The built-in tools of a project. To add a tool, write a file in this folder and add a line to this file.

import type { BashSetup } from "./background/start-command.ts";
import { bashTool } from "./bash.ts";
import { bashInputTool } from "./bash-input.ts";
import { bashOutputTool } from "./bash-output.ts";
import { editTool } from "./edit.ts";
import { gitTools } from "./git-tools.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import type { LokiAccess } from "./loki/client.ts";
import { lokiLabelsTool } from "./loki-labels.ts";
import { lokiQueryTool } from "./loki-query.ts";
import { lokiServiceErrorsTool } from "./loki-service-errors.ts";
import { lsTool } from "./ls.ts";
import type { PrometheusAccess } from "./prometheus/client.ts";
import { prometheusAlertsTool } from "./prometheus-alerts.ts";
import { prometheusQueryTool } from "./prometheus-query.ts";
import { prometheusRangeTool } from "./prometheus-range.ts";
import { readTool } from "./read.ts";
import { restartServiceTool, type ServiceAccess } from "./restart-service.ts";
import { type SkillFolders, skillTool } from "./skill.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AnyTool } from "./tool.ts";
import type { WebAccess } from "./web/get-page.ts";
import { webFetchTool } from "./web-fetch.ts";
import { type SearchAccess, webSearchTool } from "./web-search.ts";
import { writeTool } from "./write.ts";

export interface ToolSetup {
  bash: BashSetup;
  loki: LokiAccess;
  prometheus: PrometheusAccess;
  services: ServiceAccess;
  web: WebAccess;
  search: SearchAccess;
  skills: SkillFolders;
}

export const toolsFor = ({
  bash,
  loki,
  prometheus,
  services,
  web,
  search,
  skills,
}: ToolSetup): readonly AnyTool[] => [
  readTool,
  writeTool,
  editTool,
  globTool,
  grepTool,
  lsTool,
  bashTool(bash),
  bashOutputTool(bash),
  bashInputTool(bash),
  todoWriteTool,
  lokiQueryTool(loki),
  lokiLabelsTool(loki),
  lokiServiceErrorsTool(loki),
  prometheusQueryTool(prometheus),
  prometheusRangeTool(prometheus),
  prometheusAlertsTool(prometheus),
  restartServiceTool(services),
  webFetchTool(web),
  webSearchTool(search),
  skillTool(skills),
  ...gitTools,
];

/** The tools without any project settings. Their names, effects and inputs are the same in every project. */
export const builtinTools: readonly AnyTool[] = toolsFor({
  bash: {
    sandbox: { driver: "none", network: "approved", write: [] },
    folder: "/",
    stateFolder: "/",
    isProtected: () => false,
  },
  loki: { settings: undefined, env: {} },
  prometheus: { settings: undefined, env: {} },
  services: { services: {}, folder: "/" },
  web: { settings: { allow: [], deny: [], private: [] }, ownPort: 0 },
  search: { settings: undefined, env: {} },
  skills: { project: "/", user: "/", builtin: "/" },
});
