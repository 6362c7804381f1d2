import { chooseTheme, THEMES, type Theme, useTheme } from "../../ui/theme.ts";
import { SettingsSection } from "./settings-section.tsx";

const WORDS: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

export function ThemeSettings() {
  const theme = useTheme();
  return (
    <SettingsSection title="Theme" text="For this browser.">
      <fieldset className="flex flex-wrap gap-x-5">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((each) => (
          <label key={each} className="flex min-h-10 items-center gap-1.5 md:min-h-7">
            <input
              type="radio"
              name="theme"
              className="accent-accent"
              checked={theme === each}
              onChange={() => chooseTheme(each)}
            />
            {WORDS[each]}
          </label>
        ))}
      </fieldset>
    </SettingsSection>
  );
}
