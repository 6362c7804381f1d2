import { Link } from "@tanstack/react-router";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { CommandText } from "../../../display/command/command-text.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { BlastRadius } from "./blast-radius.tsx";

/** A delegation: the agent, its task, and the blast radius. */
export function Delegation({ item }: { item: ApprovalView }) {
  const { blastRadius } = item;
  const fields = (item.input ?? {}) as Record<string, unknown>;
  const named = [blastRadius?.agent, fields["agent"], fields["role"], fields["agentType"]];
  const agent = named.find((value) => typeof value === "string") ?? "";
  return (
    <div className="flex flex-col gap-2">
      <p>
        Starts{" "}
        <Link to="/agents/$name" params={{ name: agent }} className="font-medium text-accent underline">
          <VisibleText text={agent} />
        </Link>{" "}
        with this task:
      </p>
      <CommandText
        text={typeof fields["task"] === "string" ? fields["task"] : JSON.stringify(fields, null, 2)}
        className="rounded-md border border-line bg-raised p-3"
      />
      {blastRadius && <BlastRadius radius={blastRadius} />}
    </div>
  );
}
