import { Circle, CircleCheck, CircleDot } from "lucide-react";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Section } from "./section.tsx";

const LOOKS = {
  pending: { icon: Circle, word: "to do", look: "text-muted" },
  in_progress: { icon: CircleDot, word: "in progress", look: "text-info" },
  completed: { icon: CircleCheck, word: "done", look: "text-good" },
};

/** The agent's to-do list, if it keeps one. */
export function Todos({ run }: { run: RunJournal }) {
  const { todos } = runStateOf(run.events);
  if (todos.length === 0) return null;
  let at = 0;
  return (
    <Section title="To do">
      <ul className="flex flex-col gap-1.5 text-sm">
        {todos.map(({ content, status, activeForm }) => {
          const { icon: Icon, word, look } = LOOKS[status];
          return (
            <li key={at++} className="flex items-start gap-2">
              <Icon size={15} role="img" aria-label={word} className={`mt-0.5 shrink-0 ${look}`} />
              <span className="wrap-anywhere">
                <VisibleText text={status === "in_progress" ? (activeForm ?? content) : content} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
