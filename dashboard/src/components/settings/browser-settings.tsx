// Settings of this browser: the theme and the notifications. No other page asks the browser for permission to notify.

import { Volume2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { chooseTheme, useTheme } from "../../ui/theme.ts";
import type { Notice } from "../notices/news.ts";
import { type NoticeSettings, updateNoticeSettings, useNoticeSettings } from "../notices/notice-settings.ts";
import { playTone } from "../notices/sound.ts";
import { SettingsSection } from "./settings-section.tsx";

const THEME_NAMES = { system: "System", light: "Light", dark: "Dark" };

export function ThemeSettings() {
  return (
    <SettingsSection title="Theme" text="For this browser.">
      <RadioGroup
        legend="Theme"
        hidesLegend
        choices={THEME_NAMES}
        value={useTheme()}
        onChange={chooseTheme}
      />
    </SettingsSection>
  );
}

/** U32: when this browser notifies the user, and which sounds it plays. */
export function NoticeSettingsForm() {
  const settings = useNoticeSettings();
  const [permission, ask] = usePermission();
  const isOff = permission !== "granted";
  const sounds = settings.soundNeedsYou || settings.soundDone;
  return (
    <SettingsSection
      title="Notifications"
      text="This browser notifies you while you are in another window, at most once per tree of runs. The tab's title and icon always show what is waiting."
    >
      {permission === "default" && <Button onClick={ask}>Allow notifications…</Button>}
      {permission === "denied" && (
        <p className="text-muted">
          This browser blocks notifications. Allow them for this address in the browser's settings.
        </p>
      )}
      {permission === "none" && <p className="text-muted">This browser does not support notifications.</p>}
      <Choice name="needsYou" label="When something needs you" settings={settings} isOff={isOff} />
      <Choice name="done" label="When a run ends" settings={settings} isOff={isOff} />
      <Sound
        name="soundNeedsYou"
        kind="needs-you"
        label="A sound when something needs you"
        settings={settings}
      />
      <Sound name="soundDone" kind="done" label="A sound when a run ends" settings={settings} />
      <div className="flex flex-wrap items-center gap-2">
        <Choice name="quiet" label="Quiet hours" settings={settings} isOff={isOff && !sounds} />
        <span className="flex gap-2">
          {(["from", "to"] as const).map((name) => (
            <Input
              key={name}
              type="time"
              aria-label={name === "from" ? "Quiet from" : "Quiet until"}
              className="w-32 max-md:h-10"
              disabled={(isOff && !sounds) || !settings.quiet}
              value={settings[name]}
              onChange={({ target }) => target.value && updateNoticeSettings({ [name]: target.value })}
            />
          ))}
        </span>
      </div>
      <p className="text-muted">
        When quiet hours end, you get one notification for everything that happened.
      </p>
    </SettingsSection>
  );
}

type Permission = NotificationPermission | "none";

function usePermission(): [Permission, ask: () => void] {
  const now = (): Permission => ("Notification" in globalThis ? Notification.permission : "none");
  const [permission, setPermission] = useState(now);
  const ask = async () => {
    await Notification.requestPermission();
    setPermission(now());
    if (now() === "granted") updateNoticeSettings({ needsYou: true });
  };
  return [permission, () => void ask()];
}

interface ChoiceProps {
  name: "needsYou" | "done" | "soundNeedsYou" | "soundDone" | "quiet";
  label: string;
  settings: NoticeSettings;
  isOff: boolean;
}

/** A sound setting with a preview button. */
function Sound({ kind, ...choice }: Omit<ChoiceProps, "isOff"> & { kind: Notice["kind"] }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Choice {...choice} isOff={false} />
      <Button size="small" look="quiet" className="max-md:h-10" onClick={() => playTone(kind)}>
        <Volume2 size={13} aria-hidden /> Play
      </Button>
    </div>
  );
}

function Choice({ name, label, settings, isOff }: ChoiceProps) {
  return (
    <label className="flex min-h-10 items-center gap-2 md:min-h-7">
      <input
        type="checkbox"
        className="size-3.5 accent-accent"
        disabled={isOff}
        checked={settings[name]}
        onChange={({ target }) => updateNoticeSettings({ [name]: target.checked })}
      />
      {label}
    </label>
  );
}
