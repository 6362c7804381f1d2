// The built-in tools. To add one: a file beside this one, and a line here.

import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AnyTool } from "./tool.ts";
import { writeTool } from "./write.ts";

export const builtinTools: readonly AnyTool[] = [
  readTool,
  writeTool,
  editTool,
  globTool,
  grepTool,
  lsTool,
  bashTool,
  todoWriteTool,
];
