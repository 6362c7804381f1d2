import {
  Bot,
  CircleHelp,
  Coins,
  FilePen,
  Globe,
  Plug,
  Repeat,
  SquareTerminal,
  TriangleAlert,
  Wrench,
} from "lucide-react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";

const KIND_ICONS = { question: CircleHelp, outcome: TriangleAlert, budget: Coins, loop: Repeat } as const;

const TOOL_ICONS: Record<string, typeof Bot> = {
  Bash: SquareTerminal,
  Write: FilePen,
  Edit: FilePen,
  WebFetch: Globe,
  WebSearch: Globe,
  delegate: Bot,
};

export function approvalIcon({ kind, tool = "" }: ApprovalView): typeof Bot {
  if (kind !== "tool") return KIND_ICONS[kind];
  return TOOL_ICONS[tool] ?? (tool.startsWith("mcp__") ? Plug : Wrench);
}
