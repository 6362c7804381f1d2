// The pages in the main navigation.

import { Activity, Bot, ChartColumn, Inbox, MessagesSquare, Settings } from "lucide-react";

export const PAGES = [
  { to: "/", label: "Runs", keys: "g r", icon: Activity },
  { to: "/inbox", label: "Inbox", keys: "g i", icon: Inbox },
  { to: "/agents", label: "Agents", keys: "g a", icon: Bot },
  { to: "/chat", label: "Chat", keys: "g c", icon: MessagesSquare },
  { to: "/usage", label: "Usage", keys: "g u", icon: ChartColumn },
  { to: "/settings", label: "Settings", keys: "g s", icon: Settings },
] as const;

/** The name of the page in the browser tab's title. */
export function pageName(path: string): string {
  if (path.startsWith("/r/")) return "Run";
  if (path === "/compare") return "Compare";
  if (path === "/decisions") return "Decisions";
  return (
    PAGES.findLast(({ to }) => path === to || (to !== "/" && path.startsWith(`${to}/`)))?.label ?? "Cadre"
  );
}
