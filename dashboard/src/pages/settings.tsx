import { GrantSettings } from "../components/grants/grants.tsx";
import { SuggestionList } from "../components/grants/suggestion-list.tsx";
import { AccessSettings, UserList } from "../components/settings/access-settings.tsx";
import { NoticeSettingsForm, ThemeSettings } from "../components/settings/browser-settings.tsx";
import { ChatSettings } from "../components/settings/chat-settings.tsx";
import {
  DoctorChecks,
  ProviderWaits,
  ServerFacts,
  WorkerList,
} from "../components/settings/server-settings.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { useRefusal } from "../live/me.ts";

export function SettingsPage() {
  const isAdmin = useRefusal("admin") === undefined;
  return (
    <>
      <PageHeader title="Settings" />
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto max-w-4xl px-4">
          <ThemeSettings />
          <NoticeSettingsForm />
          <ChatSettings />
          <GrantSettings />
          {isAdmin && <SuggestionList />}
          <AccessSettings />
          {isAdmin && <UserList />}
          <ProviderWaits />
          <ServerFacts />
          {isAdmin && <WorkerList />}
          {isAdmin && <DoctorChecks />}
        </div>
      </div>
    </>
  );
}
