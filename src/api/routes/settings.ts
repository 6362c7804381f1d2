// Reads and changes the settings of the chat (S4-53).

import { z } from "zod";
import type { ApiParts } from "../parts.ts";
import { SettingsBody } from "../server/settings-file.ts";
import { route } from "./route.ts";
import { namedObject } from "./schemas.ts";

export const SettingsView = namedObject("SettingsView", {
  agent: z.string(),
  mode: z.enum(["auto", "chat"]),
  /** The default model, from cadre.yaml. */
  model: z.string(),
});
export type SettingsView = z.infer<typeof SettingsView>;

/** The agent that a chat uses if neither the settings nor cadre.yaml name one. */
const DEFAULT_AGENT = "assistant";

export function settingsRoutes(parts: ApiParts) {
  return [
    route.get(
      "/api/settings",
      { summary: "The settings of the chat", answer: SettingsView, etag: true },
      () => currentSettings(parts),
    ),
    route.post(
      "/api/settings",
      {
        summary: "Change settings of the chat; the others stay",
        body: SettingsBody,
        answer: SettingsView,
        role: "admin",
      },
      async ({ body }) => {
        if (body.agent !== undefined) await parts.explain(body.agent);
        parts.settings.set(body);
        return currentSettings(parts);
      },
    ),
  ];
}

export function currentSettings({ settings, info }: Pick<ApiParts, "settings" | "info">): SettingsView {
  return { agent: info.agent ?? DEFAULT_AGENT, mode: "chat", ...settings.get(), model: info.model };
}
