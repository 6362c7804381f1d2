import type { ReactNode } from "react";
import type { ApprovalView } from "../../../../src/api/schema.ts";
import type { Word } from "./use-decide.ts";

export interface CardProps {
  item: ApprovalView;
  takesFocus: boolean;
  onDecided(word: Word): void;
  /** Stands above what it is about. */
  children?: ReactNode;
}
