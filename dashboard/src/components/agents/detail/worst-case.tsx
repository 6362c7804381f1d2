// The upper bound of one task: what this agent and every agent it can reach may do, and how many runs they may start.
// It is a bound, not a forecast.

import { Link } from "@tanstack/react-router";
import { Check, FilePen, Globe, Minus, Terminal } from "lucide-react";
import type { ExplanationView } from "../../../../../src/api/client/types.ts";
import { money, plural } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Panel } from "../../../ui/panel.tsx";

export function WorstCase({ explanation }: { explanation: ExplanationView }) {
  const { blastRadius, worstCase, limits, reachable } = explanation;
  const depth = Math.max(0, ...reachable.flatMap(({ ways }) => ways.map((way) => way.depth)));
  return (
    <Panel title="Worst case of one task" note="by this agent and all agents it can reach">
      <div className="grid grid-cols-1 gap-2 p-3 sm:grid-cols-3">
        <Power
          on={blastRadius.changesFiles}
          icon={FilePen}
          words={["Can change files", "Cannot change files"]}
        />
        <Power
          on={blastRadius.runsCommands}
          icon={Terminal}
          words={["Can run commands", "Cannot run commands"]}
        />
        <Power
          on={blastRadius.reachesNetwork}
          icon={Globe}
          words={["Can use the network", "Cannot use the network"]}
        />
      </div>
      <p className="px-4 pb-3 text-sm">
        At most <strong>{plural(worstCase.runs, "run")}</strong> with{" "}
        <strong>{plural(worstCase.turns, "turn")}</strong> in all
        {depth > 0 ? `, ${plural(depth, "level")} deep` : ""}
        {limits.maxCost === undefined
          ? ", with no cost limit of its own"
          : `, ${money(limits.maxCost)} for its own calls`}
        {worstCase.capped ? ". The limit of the tree applies first." : "."}
      </p>
      {blastRadius.tools.length > 0 && <WhoMay explanation={explanation} />}
    </Panel>
  );
}

interface PowerProps {
  on: boolean;
  icon: typeof Globe;
  words: readonly [string, string];
}

function Power({ on, icon: Icon, words }: PowerProps) {
  return (
    <div
      className={classNames(
        "flex items-center gap-2 rounded-md border px-3 py-2 text-sm",
        on ? "border-warn bg-warn-soft text-warn" : "border-line text-muted",
      )}
    >
      <Icon size={16} aria-hidden />
      {words[on ? 0 : 1]}
    </div>
  );
}

/** A table of agents and the tools they have that do more than read. */
function WhoMay({ explanation }: { explanation: ExplanationView }) {
  const { tools } = explanation.blastRadius;
  const agents = [...new Set(tools.flatMap(({ by }) => by.map(({ agent }) => agent)))];
  return (
    <div className="overflow-x-auto border-line border-t">
      <table className="w-full text-xs">
        <caption className="sr-only">Tools with side effects, and the agents that may call them</caption>
        <thead>
          <tr className="text-left text-muted">
            <th className="px-4 py-2 font-medium">Agent</th>
            {tools.map(({ name }) => (
              <th key={name} className="px-2 py-2 text-center font-medium">
                <VisibleText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent} className="border-line border-t">
              <th scope="row" className="px-4 py-1.5 text-left font-medium">
                <Link
                  to="/agents/$name"
                  params={{ name: agent }}
                  className="hover:text-accent hover:underline"
                >
                  <VisibleText text={agent} />
                </Link>
              </th>
              {tools.map(({ name, by }) => (
                <td key={name} className="px-2 py-1.5 text-center">
                  <ToolAccess holder={by.find((each) => each.agent === agent)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ToolAccess({ holder }: { holder: { only?: string[] } | undefined }) {
  if (!holder) return <Minus size={13} role="img" aria-label="no" className="inline text-edge" />;
  if (!holder.only) return <Check size={13} role="img" aria-label="yes" className="inline text-warn" />;
  return (
    <span className="font-mono text-2xs" title="Limited to these calls">
      <VisibleText text={holder.only.join(", ")} />
    </span>
  );
}
