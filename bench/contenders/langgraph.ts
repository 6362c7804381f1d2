// LangGraph as its guide builds an agent, with the default SQLite saver, which stores the whole state in every checkpoint.

import { MessagesValue } from "@langchain/langgraph";
import { type About, LANGGRAPH_PACKAGES, langgraph } from "./langgraph-agent.ts";

export const about: About = {
  packages: LANGGRAPH_PACKAGES,
  durability:
    'SQLite WAL, synchronous=NORMAL (no fsync per commit), durability "async", whole state per checkpoint',
};

export const { run, close } = langgraph(MessagesValue);
