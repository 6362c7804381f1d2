import type { AgentView } from "../../../../src/api/client/types.ts";
import { nameWithTitle } from "../../display/agent/agent-face.ts";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/input.tsx";

export interface AgentFieldProps {
  choices: readonly AgentView[];
  chosen: string;
  onChange(name: string): void;
}

/** Who is to do it: by title, with the name behind it. */
export function AgentField({ choices, chosen, onChange }: AgentFieldProps) {
  return (
    <Field label="Agent">
      {(id) => (
        <Select
          id={id}
          className="max-md:h-10"
          value={chosen}
          onChange={({ target }) => onChange(target.value)}
        >
          {choices.map((each) => (
            <option key={each.name} value={each.name}>
              {nameWithTitle(each)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
