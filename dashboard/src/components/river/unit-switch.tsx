import { Button } from "../../ui/button.tsx";
import type { Unit } from "./river-bands.ts";

export function UnitSwitch({ unit, onUnit }: { unit: Unit; onUnit(unit: Unit): void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Shown in</legend>
      {(["cost", "tokens"] as const).map((each) => (
        <Button
          key={each}
          size="small"
          look={each === unit ? "plain" : "quiet"}
          aria-pressed={each === unit}
          className="max-md:h-10"
          onClick={() => onUnit(each)}
        >
          {each === "cost" ? "Money" : "Tokens"}
        </Button>
      ))}
    </fieldset>
  );
}
