import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ExplanationView } from "../../../../src/api/schema.ts";
import { CommandText } from "../../display/command-text.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { plural } from "../../display/words.ts";
import { explanationQuery } from "../../live/queries.ts";

/** Work that is given to another agent: to whom, what, and what could come of it. */
export function DelegateBody({ fields }: { fields: Record<string, unknown> }) {
  const name = [fields["agent"], fields["role"], fields["agentType"]].find(
    (value) => typeof value === "string",
  );
  const agent = typeof name === "string" ? name : "";
  const explanation = useQuery({ ...explanationQuery(agent), enabled: agent !== "", retry: false });
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
      {explanation.data && <Reach explanation={explanation.data} />}
    </div>
  );
}

function Reach({ explanation: { blastRadius, worstCase } }: { explanation: ExplanationView }) {
  const { changesFiles, runsCommands, reachesNetwork } = blastRadius;
  const may = [
    ...(changesFiles ? ["change files"] : []),
    ...(runsCommands ? ["run commands"] : []),
    ...(reachesNetwork ? ["reach the network"] : []),
  ];
  return (
    <p className="text-muted text-sm">
      {may.length === 0 ? "It and those below it only read." : `It and those below it may ${may.join(", ")}.`}{" "}
      At most {plural(worstCase.runs, "run")} could come of it.
    </p>
  );
}
