// The entries of the palette: pages, actions, agents and runs.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Bot, CircleHelp, Moon, Play, Search, Sun, SunMoon } from "lucide-react";
import { searchWords } from "../../../../src/projections/formats/search-text.ts";
import { nameWithTitle } from "../../display/agent/agent-face.ts";
import { client } from "../../live/client.ts";
import { agentsQuery } from "../../live/queries.ts";
import { chooseTheme } from "../../ui/theme.ts";
import { PAGES } from "../shell/navigation.ts";
import { rankItems } from "./rank.ts";

export interface Command {
  id: string;
  group: string;
  label: string;
  hint?: string | undefined;
  icon: typeof Bot;
  run(): void;
}

export interface PaletteActions {
  startRun(agent?: string): void;
  help(): void;
}

const MOST = { Pages: 8, Actions: 8, Agents: 5, Runs: 8 };

export function useCommands(typed: string, asked: string, actions: PaletteActions): Command[] {
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery);
  const runs = useQuery({
    queryKey: ["runs", "palette", asked],
    queryFn: () =>
      client.get("/api/runs", {
        limit: 20,
        ...(searchWords(asked).length === 0 ? { roots: true } : { q: asked }),
      }),
    placeholderData: (before) => before,
  });
  const pages = PAGES.map(
    ({ to, label, keys, icon }): Command => ({
      id: to,
      group: "Pages",
      label: `Go to ${label}`,
      hint: keys,
      icon,
      run: () => void navigate({ to }),
    }),
  );
  const ofAgents = (agents.data?.agents ?? []).map(
    ({ name, title, description }): Command => ({
      id: `agent ${name}`,
      group: "Agents",
      label: nameWithTitle({ name, title }),
      hint: description,
      icon: Bot,
      run: () => void navigate({ to: "/agents/$name", params: { name } }),
    }),
  );
  // The server has already matched these, possibly by words outside the task.
  const ofRuns = (runs.data?.runs ?? []).slice(0, MOST.Runs).map(
    ({ id, task, agent, hit }): Command => ({
      id,
      group: "Runs",
      label: task.split("\n", 1)[0]!.slice(0, 120),
      hint: agent,
      icon: Activity,
      run: () =>
        void navigate({ to: "/r/$runId", params: { runId: id }, ...(hit ? { hash: String(hit) } : {}) }),
    }),
  );
  return [
    ...rankItems(
      actionsOf(actions, typed, (q) => void navigate({ to: "/", search: { q } })),
      typed,
      MOST.Actions,
    ),
    ...rankItems(pages, typed, MOST.Pages),
    ...(typed === "" ? [] : rankItems(ofAgents, typed, MOST.Agents)),
    // Results for an earlier query are filtered until the new ones arrive.
    ...(asked === typed ? ofRuns : rankItems(ofRuns, typed, MOST.Runs)),
  ];
}

function actionsOf(
  { startRun, help }: PaletteActions,
  typed: string,
  search: (q: string) => void,
): Command[] {
  const action = (label: string, icon: typeof Bot, run: () => void, hint?: string): Command => ({
    id: label,
    group: "Actions",
    label,
    hint,
    icon,
    run,
  });
  return [
    action("Start a run", Play, () => startRun(), "n"),
    ...(searchWords(typed).length > 0
      ? [action(`Search all runs for “${typed}”`, Search, () => search(typed))]
      : []),
    action("Theme: light", Sun, () => chooseTheme("light")),
    action("Theme: dark", Moon, () => chooseTheme("dark")),
    action("Theme: system", SunMoon, () => chooseTheme("system")),
    action("Show keyboard shortcuts", CircleHelp, help, "?"),
  ];
}
