import { Button } from "./button.tsx";

interface ToggleGroupProps<Value extends string> {
  label: string;
  /** The choices and their labels. */
  choices: Readonly<Record<Value, string>>;
  value: NoInfer<Value>;
  onChange(value: NoInfer<Value>): void;
  /** Says why a choice is not available; undefined if it is available. */
  refusal?(value: Value): string | undefined;
}

/** A row of buttons. Exactly one of them is pressed. */
export function ToggleGroup<Value extends string>(props: ToggleGroupProps<Value>) {
  const { label, choices, value, onChange, refusal } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: not every browser lays out a fieldset as a flex row
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {(Object.keys(choices) as Value[]).map((each) => (
        <Button
          key={each}
          size="small"
          look={each === value ? "plain" : "quiet"}
          aria-pressed={each === value}
          disabled={refusal?.(each) !== undefined}
          title={refusal?.(each)}
          className="max-md:h-10"
          onClick={() => onChange(each)}
        >
          {choices[each]}
        </Button>
      ))}
    </div>
  );
}
