// U39: compares two runs side by side.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { useState } from "react";
import { Comparison } from "../components/compare/comparison.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { Failure, Loading } from "../display/page-state.tsx";
import { compareQuery } from "../live/queries.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Form, Input } from "../ui/input.tsx";

export function ComparePage() {
  const { a, b } = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="Compare two runs">
        <CompareForm
          key={`${a} ${b}`}
          a={a ?? ""}
          b={b ?? ""}
          onCompare={(search) => void navigate({ to: "/compare", search })}
        />
      </PageHeader>
      {a !== undefined && b !== undefined ? (
        <Compared a={a} b={b} />
      ) : (
        <p className="p-6 text-muted text-sm">
          Select two runs in the{" "}
          <Link to="/" className="text-accent underline">
            list of runs
          </Link>{" "}
          and choose Compare, or enter their ids. The page of a fork has a link that compares it with its
          origin.
        </p>
      )}
    </>
  );
}

function Compared({ a, b }: { a: string; b: string }) {
  const { data, error, isError, refetch } = useQuery(compareQuery(a, b));
  if (isError && !data) return <Failure error={error} onAgain={() => void refetch()} />;
  if (!data) return <Loading what="Comparing" />;
  return <Comparison compared={data} />;
}

interface CompareFormProps {
  a: string;
  b: string;
  onCompare(runs: { a: string; b: string }): void;
}

function CompareForm({ a, b, onCompare }: CompareFormProps) {
  const [left, setLeft] = useState(a);
  const [right, setRight] = useState(b);
  const isReady = left.trim() !== "" && right.trim() !== "";
  const compare = (first: string, second: string) =>
    isReady && onCompare({ a: first.trim(), b: second.trim() });
  return (
    <Form className="flex flex-wrap items-center gap-2 md:ml-auto" onSubmit={() => compare(left, right)}>
      <RunInput label="A" value={left} onChange={setLeft} />
      <IconButton
        icon={ArrowLeftRight}
        label="Swap A and B"
        disabled={!isReady}
        onClick={() => compare(right, left)}
      />
      <RunInput label="B" value={right} onChange={setRight} />
      <Button size="small" type="submit" className="max-md:h-10" disabled={!isReady}>
        Compare
      </Button>
    </Form>
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
