import type { Command } from "commander";
import type { Invocation } from "../io.ts";

export type Verb = (invocation: Invocation, ...rest: never[]) => Promise<number>;

/** Binds a verb: what it takes beside the invocation are commander's arguments and options, in order. */
export type Does = (load: () => Promise<Verb>) => (this: Command, ...given: unknown[]) => Promise<void>;
