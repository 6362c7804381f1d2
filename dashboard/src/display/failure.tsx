// U47: what happened, whether anything is lost, what to do now. Never an endless spinner.

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
  /** Where else to go. */
  children?: ReactNode;
}

export function Failure({ error, onAgain, children }: FailureProps) {
  const { icon: Icon, title, what } = wordsFor(error);
  return (
    <div role="alert" className="w-full min-w-0">
      <EmptyState icon={<Icon size={28} aria-hidden />} title={title}>
        <p>{what}</p>
        {isCode(error, "UNAUTHORIZED") && <Command words="up" />}
        {onAgain && <Button onClick={onAgain}>Ask again</Button>}
        {children}
      </EmptyState>
    </div>
  );
}

function wordsFor(error: unknown): { icon: typeof Lock; title: string; what: string } {
  if (isUnreachable(error))
    return {
      icon: CloudOff,
      title: "The server does not answer",
      what: "Everything that was recorded is safe on its disk. This page goes on by itself as soon as it is back.",
    };
  if (isCode(error, "UNAUTHORIZED"))
    return {
      icon: Lock,
      title: "This browser is not signed in any more",
      what: "Nothing is lost. Run this in a terminal: it prints a new link.",
    };
  const message = error instanceof Error ? error.message : String(error);
  if (isCode(error, "NOT_FOUND"))
    return { icon: SearchX, title: "There is no such thing here", what: message };
  return { icon: TriangleAlert, title: "This could not be shown", what: message };
}

const isCode = (error: unknown, code: string): boolean => error instanceof CadreError && error.code === code;
