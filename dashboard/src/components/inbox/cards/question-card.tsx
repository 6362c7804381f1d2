import { useRef, useState } from "react";
import { VisibleText } from "../../../display/visible-text.tsx";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Form, TextArea } from "../../../ui/input.tsx";
import { KeyHint } from "../../../ui/kbd.tsx";
import { AnswerFailure, useDecide } from "../decision/decide.tsx";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";

/** The card of an agent's question. The user answers with a button or in a text field. */
export function QuestionCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  const answer = (text: string) =>
    text.trim() !== "" && decide.send({ decision: "answer", answer: text.trim() });
  const leave = () => decide.send({ decision: "reject" });
  const choices = item.choices ?? [];
  useHotkeys([
    ...choices.slice(0, 9).map((choice, at) => ({
      keys: String(at + 1),
      label: `Answer: ${choice}`,
      run: () => void answer(choice),
    })),
    { keys: "d", label: "Leave it unanswered", run: leave },
  ]);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <>
          <AnswerFailure error={decide.error} />
          <div className="flex flex-wrap items-end gap-2">
            {choices.map((choice, at) => (
              <Button
                key={choice}
                look={at === 0 ? "main" : "plain"}
                disabled={decide.isPending}
                className="h-auto! min-h-8 max-w-full whitespace-normal! py-1 text-left max-md:min-h-11"
                onClick={() => void answer(choice)}
              >
                <KeyHint>{at + 1}</KeyHint>
                <VisibleText text={choice} />
              </Button>
            ))}
            {choices.length === 0 && <FreeAnswer pending={decide.isPending} onAnswer={answer} />}
            <Button look="quiet" disabled={decide.isPending} className="max-md:h-11" onClick={leave}>
              Leave unanswered
              <KeyHint>d</KeyHint>
            </Button>
          </div>
        </>
      }
    >
      <RequestView item={item} />
    </CardFrame>
  );
}

function FreeAnswer({ pending, onAnswer }: { pending: boolean; onAnswer(text: string): void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useHotkeys([{ keys: "a", label: "Type an answer", run: () => field.current?.focus() }]);
  return (
    <Form className="flex min-w-0 flex-1 basis-80 items-end gap-2" onSubmit={() => onAnswer(text)}>
      <TextArea
        ref={field}
        aria-label="Your answer"
        placeholder="Your answer (a); the run continues with it"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onAnswer(text);
        }}
        className="min-w-0 flex-1"
      />
      <Button look="main" type="submit" disabled={pending || text.trim() === ""} className="max-md:h-11">
        Answer
      </Button>
    </Form>
  );
}
