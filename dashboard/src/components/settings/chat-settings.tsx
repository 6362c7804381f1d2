import { useQuery } from "@tanstack/react-query";
import type { SettingsBody } from "../../../../src/api/client/types.ts";
import { Loaded } from "../../display/page-state.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { queryClient } from "../../live/query-client.ts";
import { useAction } from "../../live/use-action.ts";
import { SelectField } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function ChatSettings() {
  const settings = useQuery(settingsQuery);
  const agents = useQuery(agentsQuery);
  const refusal = useRefusal("admin");
  const { problem, perform } = useAction();
  const change = (body: SettingsBody) =>
    void perform(async () =>
      queryClient.setQueryData(settingsQuery.queryKey, await client.post("/api/settings", { body })),
    );
  const main = (agents.data?.agents ?? []).filter(({ kind }) => kind === "main");
  return (
    <SettingsSection title="Chat" text="Applies to every browser.">
      <Loaded query={settings}>
        {({ agent, mode }) => (
          <div className="flex flex-wrap gap-4">
            <SelectField
              label="Default agent"
              disabled={refusal !== undefined}
              value={agent}
              onText={(name) => change({ agent: name })}
            >
              {[...new Set([agent, ...main.map(({ name }) => name)])].toSorted().map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
            <SelectField
              label="Default mode"
              disabled={refusal !== undefined}
              value={mode}
              onText={(next) => change({ mode: next as "auto" | "chat" })}
            >
              <option value="chat">Chat: answers and then waits for you</option>
              <option value="auto">Auto: works on its own until the task is done</option>
            </SelectField>
          </div>
        )}
      </Loaded>
      {refusal !== undefined && <p className="text-muted">{refusal}</p>}
      <Problem text={problem} />
    </SettingsSection>
  );
}
