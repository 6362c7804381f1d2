import { ContinueOrStop } from "../decision/continue-or-stop.tsx";
import { useDecide } from "../decision/use-decide.ts";
import { RequestView } from "../request/request-view.tsx";
import { CardFrame, type CardProps } from "./card-frame.tsx";

export function LoopCard({ item, takesFocus, onDecided }: CardProps) {
  const decide = useDecide(item, onDecided);
  return (
    <CardFrame
      item={item}
      takesFocus={takesFocus}
      answers={
        <ContinueOrStop
          decide={decide}
          go="Let it go on"
          onGo={() => decide.send({ decision: "approve" })}
          stop="Let it come to its end"
        />
      }
    >
      <RequestView item={item} />
      <p className="text-muted text-sm">
        It has done the same again and again. It may go on as it is, or write down what it has and end.
      </p>
    </CardFrame>
  );
}
