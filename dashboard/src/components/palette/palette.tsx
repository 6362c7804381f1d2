// U31: one search field for every page, action, agent and run.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Bot, CircleHelp, Moon, Play, Search, Sun, SunMoon } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { searchWords } from "../../../../src/projections/formats/search-text.ts";
import { nameWithTitle } from "../../display/agent/agent-face.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { agentsQuery } from "../../live/queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { chooseTheme } from "../../ui/theme.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { PAGES } from "../shell/navigation.ts";
import { rankItems } from "./rank.ts";

const PAUSE_MS = 150;

export function Palette({ onClose, ...actions }: PaletteActions & { onClose(): void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const commands = useCommands(typed.trim(), useDebounced(typed.trim(), PAUSE_MS), actions);
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const move = (step: number) => setAt((chosen + step + commands.length) % Math.max(1, commands.length));
  useEffect(() => {
    document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [list, chosen]);
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title="Find a run, agent, page or action" bare>
      <input
        role="combobox"
        aria-label="Find a run, agent, page or action"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={commands.length > 0 ? `${list}-${chosen}` : undefined}
        className="w-full shrink-0 border-line border-b bg-surface px-4 py-3 text-base outline-none placeholder:text-muted"
        placeholder="Find a run, agent, page or action…"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) move(step);
          else if (event.key === "Enter") run(commands[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div
        id={list}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="min-h-0 overflow-auto p-1.5"
      >
        {commands.map((command, index) => (
          <Row
            key={command.id}
            id={`${list}-${index}`}
            command={command}
            isFirst={commands[index - 1]?.group !== command.group}
            isChosen={index === chosen}
            onPoint={() => setAt(index)}
            onRun={() => run(command)}
          />
        ))}
        {commands.length === 0 && <p className="p-4 text-center text-muted text-sm">No matches.</p>}
      </div>
    </Dialog>
  );
}

interface RowProps {
  id: string;
  command: Command;
  isFirst: boolean;
  isChosen: boolean;
  onPoint(): void;
  onRun(): void;
}

function Row({
  id,
  command: { group, label, hint, icon: Icon },
  isFirst,
  isChosen,
  onPoint,
  onRun,
}: RowProps) {
  return (
    <>
      {isFirst && (
        <p aria-hidden className="px-2 pt-2 pb-1 font-medium text-2xs text-muted">
          {group}
        </p>
      )}
      <button
        type="button"
        role="option"
        id={id}
        tabIndex={-1}
        aria-selected={isChosen}
        className={classNames(
          "flex min-h-10 w-full items-center gap-2.5 rounded-md px-2 text-left text-sm md:min-h-8",
          isChosen && "bg-accent-soft text-accent",
        )}
        onPointerMove={onPoint}
        onClick={onRun}
      >
        <Icon size={15} aria-hidden className="shrink-0" />
        <span className="truncate">
          <VisibleText text={label} />
        </span>
        {hint !== undefined && (
          <span className="ml-auto max-w-[45%] shrink-0 truncate text-muted text-xs">
            <VisibleText text={hint} />
          </span>
        )}
      </button>
    </>
  );
}

interface Command {
  id: string;
  group: string;
  label: string;
  hint?: string | undefined;
  icon: typeof Bot;
  run(): void;
}

interface PaletteActions {
  startRun(agent?: string): void;
  help(): void;
}

const MOST = { Pages: 8, Actions: 8, Agents: 5, Runs: 8 };

function useCommands(typed: string, asked: string, actions: PaletteActions): Command[] {
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
  const agentCommands = (agents.data?.agents ?? []).map(
    ({ name, title, description }): Command => ({
      id: `agent ${name}`,
      group: "Agents",
      label: nameWithTitle({ name, title }),
      hint: description,
      icon: Bot,
      run: () => void navigate({ to: "/agents/$name", params: { name } }),
    }),
  );
  // The server has already matched these runs, possibly by words that are not in the task.
  const runCommands = (runs.data?.runs ?? []).slice(0, MOST.Runs).map(
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
    ...(typed === "" ? [] : rankItems(agentCommands, typed, MOST.Agents)),
    // Until the results for the new query arrive, the palette filters the results of the earlier query.
    ...(asked === typed ? runCommands : rankItems(runCommands, typed, MOST.Runs)),
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
