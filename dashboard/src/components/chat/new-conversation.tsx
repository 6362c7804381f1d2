// The first word of a conversation: to which main agent, in which mode.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { useState } from "react";
import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import { client } from "../../live/client.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { AgentChoice } from "./agent-choice.tsx";
import { Composer } from "./composer.tsx";
import { type Mode, ModeSwitch } from "./mode-switch.tsx";

export function NewConversation() {
  const agents = useQuery(agentsQuery);
  const settings = useQuery(settingsQuery);
  const [chosen, setChosen] = useState<string>();
  const [mode, setMode] = useState<Mode>();
  const navigate = useNavigate();
  const failed = [agents, settings].find(({ isError }) => isError);
  if (failed) return <Failure error={failed.error} onAgain={() => void failed.refetch()} />;
  if (!agents.data || !settings.data) return <Loading what="Asking who is here" />;
  const mains = agents.data.agents.filter(({ kind }) => kind === "main");
  if (mains.length === 0)
    return (
      <EmptyState icon={<MessagesSquare size={28} aria-hidden />} title="Nobody to talk to yet">
        <p>
          A main agent is a Markdown file in <code>agents/</code> without <code>kind: subagent</code>.
        </p>
      </EmptyState>
    );
  const agent = mains.find(({ name }) => name === (chosen ?? settings.data.agent))?.name ?? mains[0]!.name;
  const [packed = [], own = []] = [true, false].map((inPack) =>
    mains.filter(({ name }) => name.includes("/") === inPack),
  );
  const inMode = mode ?? settings.data.mode;
  const begin = async (text: string, key: string) => {
    // The same words sent again are the same conversation: a lost answer must not begin a second one.
    const sessionId = `s${key}`;
    await client.say(sessionId, { agent, text, mode: inMode, attended: true }, key);
    await navigate({ to: "/chat/$sessionId", params: { sessionId } });
  };
  return (
    <section aria-label="New conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <PageHeader title="New conversation">
        <ModeSwitch mode={inMode} fixed={false} onChange={setMode} />
      </PageHeader>
      <div className="min-h-0 flex-1 space-y-4 overflow-auto p-4">
        <AgentChoice legend="Whom do you want to talk to?" agents={own} chosen={agent} onChoose={setChosen} />
        <AgentChoice legend="Or somebody from a pack" agents={packed} chosen={agent} onChoose={setChosen} />
      </div>
      <Composer draft="new" placeholder={`What should ${agent} do?`} busy={false} send={begin} />
    </section>
  );
}
