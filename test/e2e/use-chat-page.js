// A page that shows a chat with the AI SDK. `useChat` of @ai-sdk/react is this class with React state instead of `draw`.

import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";

class Chat extends AbstractChat {
  constructor(init) {
    const state = {
      status: "ready",
      messages: [],
      error: undefined,
      pushMessage(message) {
        state.messages = [...state.messages, message];
        draw();
      },
      popMessage() {
        state.messages = state.messages.slice(0, -1);
        draw();
      },
      replaceMessage(index, message) {
        state.messages = state.messages.with(index, message);
        draw();
      },
      snapshot: (value) => structuredClone(value),
    };
    super({ ...init, state });
  }
}

const chat = new Chat({
  id: "c1",
  transport: new DefaultChatTransport({ api: "/api/chat" }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});

function draw() {
  const page = document.querySelector("main");
  page.replaceChildren();
  for (const { role, parts } of chat.messages)
    for (const part of parts) {
      if (part.type === "text") page.append(line(`${role}: ${part.text}`));
      if (part.type === "dynamic-tool") page.append(line(`${part.toolName} ${part.state}`));
      if (part.state === "approval-requested") page.append(approveButton(part.approval.id));
    }
}

function line(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

function approveButton(id) {
  const button = document.createElement("button");
  button.textContent = "Approve";
  button.onclick = () => chat.addToolApprovalResponse({ id, approved: true });
  return button;
}

document.querySelector("form").onsubmit = (event) => {
  event.preventDefault();
  void chat.sendMessage({ text: document.querySelector("input").value });
};
void chat.resumeStream();
