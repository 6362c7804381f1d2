// U25: how far an approval reaches. Anything beyond one call becomes a rule; the form shows the rule and how long it
// lasts.

import { GrantRule } from "../../../display/grant-rule.tsx";
import { useRefusal } from "../../../live/me.ts";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/input.tsx";

export const SCOPES = ["once", "run", "tree", "always"] as const;

export interface Scope {
  scope: (typeof SCOPES)[number];
  hours: number;
}

export const ONCE: Scope = { scope: "once", hours: 8 };

const LABELS = { once: "Once", run: "This run", tree: "This run and below", always: "Always here" } as const;
const HOURS = [
  [1, "1 hour"],
  [8, "8 hours"],
  [24, "1 day"],
  [24 * 7, "7 days"],
  [24 * 30, "30 days"],
] as const;
const HOUR_MS = 60 * 60_000;

/** The fields of a decision that grant this scope. */
export const scopeFields = ({ scope, hours }: Scope) =>
  scope === "once" ? {} : { scope, until: Date.now() + hours * HOUR_MS };

export const nextScope = ({ scope, hours }: Scope): Scope => ({
  scope: SCOPES[(SCOPES.indexOf(scope) + 1) % SCOPES.length]!,
  hours,
});

export interface ScopeFieldProps {
  value: Scope;
  onChange(scope: Scope): void;
  /** The rule the approval would grant; undefined if the call can only be approved once. */
  grant: string | undefined;
}

export function ScopeField({ value, onChange, grant }: ScopeFieldProps) {
  const refusal = useRefusal("admin");
  if (grant === undefined)
    return <p className="text-muted text-xs">Applies once: this call cannot become a rule.</p>;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      {/* biome-ignore lint/a11y/useSemanticElements: not every browser lays out a fieldset as a flex row */}
      <div role="group" aria-label="Scope of the approval" className="flex flex-wrap gap-1">
        {SCOPES.map((scope) => (
          <Button
            key={scope}
            size="small"
            look={scope === value.scope ? "plain" : "quiet"}
            aria-pressed={scope === value.scope}
            disabled={scope === "always" && refusal !== undefined}
            title={scope === "always" ? refusal : undefined}
            className="max-md:h-10"
            onClick={() => onChange({ ...value, scope })}
          >
            {LABELS[scope]}
          </Button>
        ))}
      </div>
      {value.scope !== "once" && (
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 text-sm">
          grants <GrantRule rule={grant} /> for
          <Select
            aria-label="Duration of the grant"
            value={value.hours}
            onChange={(event) => onChange({ ...value, hours: Number(event.target.value) })}
            className="max-md:h-10"
          >
            {HOURS.map(([hours, label]) => (
              <option key={hours} value={hours}>
                {label}
              </option>
            ))}
          </Select>
        </span>
      )}
    </div>
  );
}
