import { SuggestionList } from "../components/grants/suggestion-list.tsx";
import { AccessSettings } from "../components/settings/access-settings.tsx";
import { ChatSettings } from "../components/settings/chat-settings.tsx";
import { DoctorChecks } from "../components/settings/doctor-checks.tsx";
import { GrantSettings } from "../components/settings/grant-settings.tsx";
import { NoticeSettingsForm } from "../components/settings/notice-settings-form.tsx";
import { ProviderWaits } from "../components/settings/provider-waits.tsx";
import { ServerFacts } from "../components/settings/server-facts.tsx";
import { ThemeSettings } from "../components/settings/theme-settings.tsx";
import { UserList } from "../components/settings/user-list.tsx";
import { WorkerList } from "../components/settings/worker-list.tsx";
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
