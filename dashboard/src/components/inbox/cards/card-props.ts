import type { ReactNode } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import type { Decision } from "../decision/use-decide.ts";

export interface CardProps {
  item: ApprovalView;
  takesFocus: boolean;
  onDecided(word: Decision): void;
  /** Stands above what it is about. */
  children?: ReactNode;
}
