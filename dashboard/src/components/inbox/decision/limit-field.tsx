import { useId } from "react";
import { Select } from "../../../ui/input.tsx";
import type { LimitChoice } from "./limit.ts";

export interface LimitFieldProps {
  limit: LimitChoice | undefined;
  value: number | undefined;
  onChange(value: number | undefined): void;
}

export function LimitField({ limit, value, onChange }: LimitFieldProps) {
  const id = useId();
  if (!limit) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-sm">
      <label htmlFor={id} className="text-muted">
        {limit.label}
      </label>
      <Select
        id={id}
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
        className="max-md:h-10"
      >
        <option value="">as it asks</option>
        {limit.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.words}
          </option>
        ))}
      </Select>
    </div>
  );
}
