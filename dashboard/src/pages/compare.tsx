// U39: two runs side by side.

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CompareForm } from "../components/compare/compare-form.tsx";
import { Comparison } from "../components/compare/comparison.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { Failure } from "../display/failure.tsx";
import { Loading } from "../display/loading.tsx";
import { compareQuery } from "../live/queries.ts";

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
          Enter the ids of two runs. The page of a fork has a link that compares it with its origin.
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
