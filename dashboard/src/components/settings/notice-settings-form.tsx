// U32: notifications are asked for here, never by surprise.

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { chooseNotices, type NoticeSettings, useNoticeSettings } from "../notices/notice-settings.ts";
import { Section } from "./section.tsx";

export function NoticeSettingsForm() {
  const settings = useNoticeSettings();
  const [permission, ask] = usePermission();
  const isOff = permission !== "granted";
  return (
    <Section
      title="Notifications"
      text="Of this browser, while you look elsewhere. One for each tree of runs. The tab's title and icon say what waits in any case."
    >
      {permission === "default" && <Button onClick={ask}>Allow notifications…</Button>}
      {permission === "denied" && (
        <p className="text-muted">
          This browser does not allow them: allow notifications for this address in its settings.
        </p>
      )}
      {permission === "none" && <p className="text-muted">This browser has none for pages.</p>}
      <Choice name="needsYou" label="When something needs you" settings={settings} isOff={isOff} />
      <Choice name="done" label="When a run that you started has ended" settings={settings} isOff={isOff} />
      <div className="flex flex-wrap items-center gap-2">
        <Choice name="quiet" label="Not between" settings={settings} isOff={isOff} />
        {(["from", "to"] as const).map((name) => (
          <Input
            key={name}
            type="time"
            aria-label={name === "from" ? "Quiet from" : "Quiet until"}
            className="max-md:h-10"
            disabled={isOff || !settings.quiet}
            value={settings[name]}
            onChange={({ target }) => target.value && chooseNotices({ [name]: target.value })}
          />
        ))}
      </div>
    </Section>
  );
}

type Permission = NotificationPermission | "none";

function usePermission(): [Permission, ask: () => void] {
  const now = (): Permission => ("Notification" in globalThis ? Notification.permission : "none");
  const [permission, setPermission] = useState(now);
  const ask = async () => {
    await Notification.requestPermission();
    setPermission(now());
    if (now() === "granted") chooseNotices({ needsYou: true });
  };
  return [permission, () => void ask()];
}

interface ChoiceProps {
  name: "needsYou" | "done" | "quiet";
  label: string;
  settings: NoticeSettings;
  isOff: boolean;
}

function Choice({ name, label, settings, isOff }: ChoiceProps) {
  return (
    <label className="flex min-h-10 items-center gap-2 md:min-h-7">
      <input
        type="checkbox"
        className="size-3.5 accent-accent"
        disabled={isOff}
        checked={settings[name]}
        onChange={({ target }) => chooseNotices({ [name]: target.checked })}
      />
      {label}
    </label>
  );
}
