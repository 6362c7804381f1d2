import type { Command } from "commander";
import type { Invocation } from "../invocation.ts";

export type CommandHandler = (invocation: Invocation, ...rest: never[]) => Promise<number>;

/** Binds a command to its handler. The handler receives the invocation, then commander's arguments, then the options. */
export type BindHandler = (
  load: () => Promise<CommandHandler>,
) => (this: Command, ...given: unknown[]) => Promise<void>;
