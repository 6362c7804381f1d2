import type { AgentView } from "../../../../src/api/client/types.ts";
import { AgentName } from "../../display/agent/agent-name.tsx";
import { RoleIcon } from "../../display/agent/role-icon.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { classNames } from "../../ui/class-names.ts";

export interface AgentChoiceProps {
  legend: string;
  agents: readonly AgentView[];
  chosen: string;
  onChoose(name: string): void;
}

export function AgentChoice({ legend, agents, chosen, onChoose }: AgentChoiceProps) {
  if (agents.length === 0) return null;
  return (
    <fieldset>
      <legend className="pb-2 text-muted text-sm">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {agents.map(({ name, description }) => (
          <label
            key={name}
            className={classNames(
              "flex cursor-pointer items-start gap-2.5 rounded-md border bg-surface p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent",
              name === chosen ? "border-accent" : "border-line hover:bg-raised",
            )}
          >
            <input
              type="radio"
              name="agent"
              className="mt-1"
              checked={name === chosen}
              onChange={() => onChoose(name)}
            />
            <span className="min-w-0">
              <span className="flex items-center gap-1.5 font-medium">
                <RoleIcon agent={name} /> <AgentName agent={name} full />
              </span>
              <span className="line-clamp-2 text-muted text-sm">
                <VisibleText text={description} />
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
