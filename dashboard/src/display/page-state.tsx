// U47: the messages that a page shows instead of data. While data loads, the page says what is loading.
// After an error, the page says what happened, whether data is safe, and what to do.

import type { UseQueryResult } from "@tanstack/react-query";
import { CloudOff, Lock, SearchX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { isUnreachable } from "../../../src/api/client/client.ts";
import { CadreError } from "../../../src/errors.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Command } from "./command/command.tsx";

export interface FailureProps {
  error: unknown;
  onAgain?: () => void;
  /** Further links and buttons that let the user continue. */
  children?: ReactNode;
}

export function Failure({ error, onAgain, children }: FailureProps) {
  const { icon: Icon, title, what } = wordsFor(error);
  return (
    <div role="alert" className="w-full min-w-0">
      <EmptyState icon={<Icon size={28} aria-hidden />} title={title}>
        <p>{what}</p>
        {isCode(error, "UNAUTHORIZED") && <Command words="up" />}
        {onAgain && <Button onClick={onAgain}>Retry</Button>}
        {children}
      </EmptyState>
    </div>
  );
}

function wordsFor(error: unknown): { icon: typeof Lock; title: string; what: string } {
  if (isUnreachable(error))
    return {
      icon: CloudOff,
      title: "The server does not respond",
      what: "Everything recorded is safe on its disk. This page reconnects on its own.",
    };
  if (isCode(error, "UNAUTHORIZED"))
    return {
      icon: Lock,
      title: "This browser is no longer signed in",
      what: "Nothing is lost. Run this in a terminal to get a new link:",
    };
  const message = error instanceof Error ? error.message : String(error);
  if (isCode(error, "NOT_FOUND")) return { icon: SearchX, title: "Not found", what: message };
  return { icon: TriangleAlert, title: "Something went wrong", what: message };
}

const isCode = (error: unknown, code: string): boolean => error instanceof CadreError && error.code === code;

/** Says what is loading in words, because users could mistake an empty skeleton for a result. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p role="status" className="p-6 text-center text-muted text-sm">
      {what}…
    </p>
  );
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** The text that says what is loading. */
  what?: string;
  children(data: Data): ReactNode;
}

/** Shows the data of a query. While the data loads, it says what is loading. After an error, it shows a button to try again. */
export function Loaded<Data>({ query, what = "Loading", children }: LoadedProps<Data>) {
  if (query.isError) return <Failure error={query.error} onAgain={() => void query.refetch()} />;
  return query.isPending ? <Loading what={what} /> : children(query.data);
}
