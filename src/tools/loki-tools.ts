// The tools that read logs.

import type { LokiAccess } from "./loki/client.ts";
import { lokiLabelsTool } from "./loki-labels.ts";
import { lokiQueryTool } from "./loki-query.ts";
import { lokiServiceErrorsTool } from "./loki-service-errors.ts";
import type { AnyTool } from "./tool.ts";

export const lokiTools = (loki: LokiAccess): readonly AnyTool[] => [
  lokiQueryTool(loki),
  lokiLabelsTool(loki),
  lokiServiceErrorsTool(loki),
];
