// Starts a conversation: choose a main agent and a mode, then write the first message.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { useState } from "react";
import type { AgentView } from "../../../../src/api/client/types.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { Failure, Loading } from "../../display/page-state.tsx";
import { attachmentsField, type SentFile } from "../../display/sent-file.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { Details } from "../../ui/details.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { startChoices } from "../start-run/start-choices.ts";
import { type Mode, ModeSwitch } from "./chat-header.tsx";
import { Composer } from "./composer.tsx";

export function NewConversation() {
  const agents = useQuery(agentsQuery);
  const settings = useQuery(settingsQuery);
  const [chosen, setChosen] = useState<string>();
  const [mode, setMode] = useState<Mode>();
  const navigate = useNavigate();
  const failed = [agents, settings].find(({ isError }) => isError);
  if (failed) return <Failure error={failed.error} onAgain={() => void failed.refetch()} />;
  if (!agents.data || !settings.data) return <Loading what="Loading the agents" />;
  const { own, builtIn } = startChoices(agents.data.agents);
  const mains = [...own, ...builtIn];
  if (mains.length === 0)
    return (
      <EmptyState icon={<MessagesSquare size={28} aria-hidden />} title="No agent to talk to yet">
        <p>
          A main agent is a Markdown file in <code>agents/</code> without <code>kind: subagent</code>.
        </p>
      </EmptyState>
    );
  const agent = mains.find(({ name }) => name === (chosen ?? settings.data.agent))?.name ?? mains[0]!.name;
  const inMode = mode ?? settings.data.mode;
  const begin = async (text: string, key: string, files: readonly SentFile[]) => {
    // The session id is derived from the message's key, so that sending the message twice does not start two conversations.
    const sessionId = `s${key}`;
    await client.post("/api/sessions/{id}/messages", {
      id: sessionId,
      body: { agent, text, mode: inMode, attended: true, ...attachmentsField(files) },
      idempotencyKey: key,
    });
    await navigate({ to: "/chat/$sessionId", params: { sessionId } });
  };
  return (
    <section aria-label="New conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader title="New conversation">
        <ModeSwitch mode={inMode} fixed={false} onChange={setMode} />
      </PageHeader>
      <div className="min-h-0 flex-1 space-y-4 overflow-auto p-4">
        <AgentChoice legend="Choose an agent" agents={own} chosen={agent} onChoose={setChosen} />
        {builtIn.length > 0 && (
          <Details
            summary={`Built-in agents (${builtIn.length})`}
            className="text-muted text-sm"
            isOpen={own.length === 0 || builtIn.some(({ name }) => name === agent)}
          >
            {() => <AgentChoice legend="Built in" agents={builtIn} chosen={agent} onChoose={setChosen} />}
          </Details>
        )}
      </div>
      <Composer draft="new" placeholder={`What should ${agent} do?`} busy={false} send={begin} />
    </section>
  );
}

interface AgentChoiceProps {
  legend: string;
  agents: readonly AgentView[];
  chosen: string;
  onChoose(name: string): void;
}

function AgentChoice({ legend, agents, chosen, onChoose }: AgentChoiceProps) {
  if (agents.length === 0) return null;
  return (
    <fieldset>
      <legend className="pb-2 text-muted text-sm">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {agents.map(({ name, description }) => (
          <label
            key={name}
            className={classNames(
              "flex cursor-pointer items-start gap-2.5 rounded-md border bg-surface p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent",
              name === chosen ? "border-accent" : "border-line hover:bg-raised",
            )}
          >
            <input
              type="radio"
              name="agent"
              className="mt-1"
              checked={name === chosen}
              onChange={() => onChoose(name)}
            />
            <span className="min-w-0">
              <span className="flex items-center gap-1.5 font-medium">
                <RoleIcon agent={name} /> <AgentName agent={name} full />
              </span>
              <VisibleText text={description} className="line-clamp-2 text-muted text-sm" />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
