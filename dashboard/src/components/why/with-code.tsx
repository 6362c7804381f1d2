import { VisibleText } from "../../display/visible-text.tsx";
import { useCommand } from "../../live/use-command.ts";
import { classNames } from "../../ui/class-names.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

interface WithCodeProps {
  text: string;
  /** The text is Cadre's own, so its commands get a copy button. Text from others never becomes a command. */
  isOurs?: boolean;
}

/** A text with the parts in backticks shown as code. */
export function TextWithCode({ text, isOurs = false }: WithCodeProps) {
  const whole = useCommand();
  let at = 0;
  return text.split("`").map((part) => {
    const key = at++;
    if (key % 2 === 0) return <VisibleText key={key} text={part} />;
    const command = isOurs && part.startsWith(NAME) ? whole(part.slice(NAME.length)) : undefined;
    return (
      <span
        key={key}
        className={classNames("rounded bg-raised px-1", command !== undefined && "md:whitespace-nowrap")}
      >
        <code className="font-mono text-xs [overflow-wrap:anywhere]">{part}</code>
        {command !== undefined && (
          <CopyButton
            text={command}
            label={`Copy as command: ${command}`}
            className="h-5! px-1! align-middle max-md:hidden"
          />
        )}
      </span>
    );
  });
}

const NAME = "cadre ";
