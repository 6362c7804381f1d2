// Chat or auto mode (S4-10, S4-11). During a run the switch shows the mode of that run and cannot be changed; a choice
// made between runs applies to the next one.

import { Bot, MessageCircle } from "lucide-react";
import { classNames } from "../../ui/class-names.ts";

export type Mode = "chat" | "auto";

const MODES = [
  { mode: "chat", label: "Chat", icon: MessageCircle, title: "One tool at a time; the agent may ask you" },
  { mode: "auto", label: "Auto", icon: Bot, title: "The agent works on its own until it is done" },
] as const;

export interface ModeSwitchProps {
  mode: Mode;
  /** A run is under way, so the mode cannot change. */
  fixed: boolean;
  onChange(mode: Mode): void;
}

export function ModeSwitch({ mode, fixed, onChange }: ModeSwitchProps) {
  return (
    <fieldset
      className="flex rounded-md border border-line bg-raised p-0.5"
      title={fixed ? "The current run has this mode. You can change it for the next one." : undefined}
    >
      <legend className="sr-only">Mode</legend>
      {MODES.map(({ mode: each, label, icon: Icon, title }) => (
        <label
          key={each}
          title={title}
          className={classNames(
            "flex h-7 items-center gap-1 rounded px-2 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent",
            each === mode ? "bg-surface font-medium text-ink shadow-sm" : "text-muted",
            fixed && each !== mode && "opacity-50",
          )}
        >
          <input
            type="radio"
            name="mode"
            className="sr-only"
            checked={each === mode}
            disabled={fixed}
            onChange={() => onChange(each)}
          />
          <Icon size={13} aria-hidden /> {label}
        </label>
      ))}
    </fieldset>
  );
}
