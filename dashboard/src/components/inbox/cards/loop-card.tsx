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
          go="Let it continue"
          onGo={() => decide.send({ decision: "approve" })}
          stop="Let it finish"
        />
      }
    >
      <RequestView item={item} />
      <p className="text-muted text-sm">
        The agent keeps repeating the same steps. Let it continue, or have it report what it has and end.
      </p>
    </CardFrame>
  );
}
