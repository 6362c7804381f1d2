import type { SandboxDriver } from "./sandbox.ts";

export const srt: SandboxDriver = {
  name: "srt",
  attempt: () => Promise.reject(new Error("later")),
};
