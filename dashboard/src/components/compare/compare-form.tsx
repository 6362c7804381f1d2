import { ArrowLeftRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";

export interface CompareFormProps {
  a: string;
  b: string;
  onCompare(runs: { a: string; b: string }): void;
}

export function CompareForm({ a, b, onCompare }: CompareFormProps) {
  const [left, setLeft] = useState(a);
  const [right, setRight] = useState(b);
  const isReady = left.trim() !== "" && right.trim() !== "";
  return (
    <form
      className="flex flex-wrap items-center gap-2 md:ml-auto"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onCompare({ a: left.trim(), b: right.trim() });
      }}
    >
      <RunInput label="A" value={left} onChange={setLeft} />
      <Button
        look="quiet"
        size="small"
        className="max-md:h-10 max-md:min-w-10"
        aria-label="Swap A and B"
        disabled={!isReady}
        onClick={() => onCompare({ a: right.trim(), b: left.trim() })}
      >
        <ArrowLeftRight size={14} aria-hidden />
      </Button>
      <RunInput label="B" value={right} onChange={setRight} />
      <Button size="small" type="submit" className="max-md:h-10" disabled={!isReady}>
        Compare
      </Button>
    </form>
  );
}

function RunInput(props: { label: string; value: string; onChange(value: string): void }) {
  return (
    <span className="flex items-center gap-1 text-muted text-xs">
      <span aria-hidden>{props.label}</span>
      <Input
        aria-label={`Run ${props.label}`}
        className="w-44 font-mono text-xs max-md:h-10"
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      />
    </span>
  );
}
