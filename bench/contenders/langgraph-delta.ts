// LangGraph with its DeltaChannel (beta): a checkpoint stores only the changes, with a full state from time to time.

import { MessagesDeltaValue } from "@langchain/langgraph";
import { type About, LANGGRAPH_PACKAGES, langgraph } from "./langgraph-agent.ts";

export const about: About = {
  packages: LANGGRAPH_PACKAGES,
  durability: 'SQLite WAL, synchronous=NORMAL (no fsync per commit), durability "async", DeltaChannel',
};

export const { run, close } = langgraph(MessagesDeltaValue);
