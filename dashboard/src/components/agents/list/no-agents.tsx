import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { Command } from "../../../display/command/command.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";

/** U46: shown until the project has agents of its own, with the command that creates some. */
export function NoAgents() {
  return (
    <EmptyState icon={<Bot size={28} aria-hidden />} title="No agents of your own yet">
      <p>
        An agent is a Markdown file in the <code>agents</code> folder. This command adds a team of six that
        you can change:
      </p>
      <Command words="init --pack team" />
      <p>
        You can also run the agents that come with Cadre:{" "}
        <Link to="/agents" search={{ scope: "all" }} className="text-accent underline">
          show them
        </Link>
      </p>
    </EmptyState>
  );
}
