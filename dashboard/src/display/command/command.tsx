import { useCommand } from "../../live/use-command.ts";
import { Copyable } from "../../ui/copyable.tsx";

/** A command of ours to paste, whole: `words` come after the program's name. */
export function Command({ words }: { words: string }) {
  return <Copyable text={useCommand()(words)} label="Copy the command" wraps />;
}
