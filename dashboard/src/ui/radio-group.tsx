import { type ReactNode, useId } from "react";

interface RadioGroupProps<Value extends string> {
  legend: string;
  /** Hides the legend on screen. Screen readers still read it. */
  hidesLegend?: boolean;
  choices: Readonly<Record<Value, ReactNode>>;
  value: NoInfer<Value>;
  onChange(value: NoInfer<Value>): void;
}

export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { legend, hidesLegend, choices, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className="flex flex-wrap gap-x-5">
      <legend className={hidesLegend ? "sr-only" : "mb-1 font-medium"}>{legend}</legend>
      {(Object.keys(choices) as Value[]).map((each) => (
        <label key={each} className="flex min-h-10 items-center gap-1.5 md:min-h-7">
          <input
            type="radio"
            name={name}
            className="accent-accent"
            checked={value === each}
            onChange={() => onChange(each)}
          />
          {choices[each]}
        </label>
      ))}
    </fieldset>
  );
}
