// The tools that reach the web, and what a project has set up for them.

import type { AnyTool } from "./tool.ts";
import type { WebAccess } from "./web/get-page.ts";
import { webFetchTool } from "./web-fetch.ts";
import type { SearchAccess } from "./web-search.ts";
import { webSearchTool } from "./web-search.ts";

export interface WebSetup {
  web: WebAccess;
  search: SearchAccess;
}

export const webTools = ({ web, search }: WebSetup): readonly AnyTool[] => [
  webFetchTool(web),
  webSearchTool(search),
];
