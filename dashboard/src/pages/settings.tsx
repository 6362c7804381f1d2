import { PageHeader } from "../components/page-header.tsx";
import { AccessSettings } from "../components/settings/access-settings.tsx";
import { ChatSettings } from "../components/settings/chat-settings.tsx";
import { CheckList } from "../components/settings/check-list.tsx";
import { GrantList } from "../components/settings/grant-list.tsx";
import { NoticeSettingsForm } from "../components/settings/notice-settings-form.tsx";
import { ServerFacts } from "../components/settings/server-facts.tsx";
import { ThemeSettings } from "../components/settings/theme-settings.tsx";
import { WorkerList } from "../components/settings/worker-list.tsx";

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto max-w-4xl px-4">
          <ThemeSettings />
          <NoticeSettingsForm />
          <ChatSettings />
          <GrantList />
          <AccessSettings />
          <ServerFacts />
          <WorkerList />
          <CheckList />
        </div>
      </div>
    </>
  );
}
