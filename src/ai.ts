// The public API of "cadre/ai": runs for the user interfaces of the AI SDK.

export {
  answerApprovals,
  type UiChunk,
  type UiMessage,
  type UiRequest,
  type UiStreamOptions,
  uiChunks,
  uiResponse,
} from "./library/ui-stream.ts";
