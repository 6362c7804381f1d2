// U31: one search field for every page, action, agent and run.

import { useEffect, useId, useState } from "react";
import { VisibleText } from "../../display/visible-text.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { type Command, type PaletteActions, useCommands } from "./use-commands.ts";

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
