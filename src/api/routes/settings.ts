// What a person has chosen for the chat (S4-53).

import { z } from "zod";
import type { ApiParts } from "../parts.ts";
import { SettingsBody } from "../server/settings-file.ts";
import { route } from "./route.ts";
import { named } from "./schemas.ts";

export const SettingsView = named(
  "SettingsView",
  z.object({
    agent: z.string(),
    mode: z.enum(["auto", "chat"]),
    /** The default model; cadre.yaml says it. */
    model: z.string(),
  }),
);
export type SettingsView = z.infer<typeof SettingsView>;

/** Comes with Cadre. */
const FIRST_AGENT = "assistant";

export function settingsRoutes(parts: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/settings",
        summary: "What is chosen for the chat",
        answer: SettingsView,
        etag: true,
      },
      () => currentSettings(parts),
    ),
    route(
      {
        method: "post",
        path: "/api/settings",
        summary: "Choose; what is not given stays",
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
  return { agent: FIRST_AGENT, mode: "chat", ...settings.get(), model: info.model };
}
