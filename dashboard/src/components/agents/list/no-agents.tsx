import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { Command } from "../../../display/command/command.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";

/** U46: the one command that makes agents. */
export function NoAgents() {
  return (
    <EmptyState icon={<Bot size={28} aria-hidden />} title="No agents of your own yet">
      <p>
        An agent is a Markdown file in the folder agents. This puts a team of six there, to change as you
        like:
      </p>
      <Command words="init --pack team" />
      <p>
        Those that come with Cadre can be run as they are:{" "}
        <Link to="/agents" search={{ scope: "all" }} className="text-accent underline">
          show them
        </Link>
      </p>
    </EmptyState>
  );
}
