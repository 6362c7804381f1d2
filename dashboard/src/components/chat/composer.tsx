// The message field.
// The browser keeps a draft until the server has accepted the message, so the draft survives a lost response, a reload and a restart.
// If a message is sent twice under the same key, the server delivers it once.

import { ArrowUp } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { systemIds } from "../../../../src/system-ids.ts";
import type { SentFile } from "../../display/sent-file.ts";
import { useRefusal } from "../../live/me.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextArea } from "../../ui/input.tsx";
import { AttachButton, FilesToSend, useFiles } from "../attach-files.tsx";

export interface ComposerProps {
  /** The name under which the draft is kept. */
  draft: string;
  placeholder: string;
  /** True while a run is under way. In that case the message is added to this run. */
  busy: boolean;
  send(text: string, key: string, files: readonly SentFile[]): Promise<void>;
}

export function Composer({ draft, placeholder, busy, send }: ComposerProps) {
  const [text, setText] = useState(() => readDraft(draft).text);
  const { busy: sending, problem, perform } = useAction();
  const refusal = useRefusal("operator");
  // A message with other files is a different message, so it gets a new key. The draft does not keep files, because they are too large.
  const chosen = useFiles(() => keepDraft(draft, readDraft(draft).text));
  const type = (next: string) => {
    setText(next);
    keepDraft(draft, next);
  };
  const submit = async () => {
    if (sending || text.trim() === "") return;
    await perform(async () => {
      await send(text.trim(), readDraft(draft).key, chosen.files);
      localStorage.removeItem(nameOf(draft));
      setText("");
      chosen.clear();
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <Form className="border-line border-t bg-surface p-3" onSubmit={() => void submit()}>
      {problem !== undefined && (
        <p role="alert" className="pb-2 text-bad text-sm">
          {problem} Your message is still here.
        </p>
      )}
      <FilesToSend chosen={chosen} />
      <div className="flex items-end gap-2">
        <AttachButton chosen={chosen} disabled={refusal !== undefined} />
        <TextArea
          aria-label="Message"
          className="max-h-60 min-h-10 flex-1 resize-none field-sizing-content"
          rows={1}
          value={text}
          disabled={refusal !== undefined}
          placeholder={refusal ?? placeholder}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKey}
          onPaste={chosen.onPaste}
        />
        <Button
          look="main"
          size="large"
          type="submit"
          disabled={sending || text.trim() === ""}
          aria-label={busy ? "Send; the agent reads it at its next turn" : "Send"}
        >
          <ArrowUp size={16} aria-hidden />
        </Button>
      </div>
      <p className="pt-1 text-2xs text-muted">
        Enter sends, Shift+Enter starts a new line.
        {busy && " The agent is working: it reads this at its next turn."}
      </p>
    </Form>
  );
}

interface Draft {
  text: string;
  key: string;
}

const nameOf = (draft: string): string => `cadre.draft.${draft}`;

function readDraft(draft: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(nameOf(draft)) ?? "") as Draft;
  } catch {
    return { text: "", key: systemIds.nonce() };
  }
}

/** An edited text is a new message, so it gets a new key. */
function keepDraft(draft: string, text: string): void {
  const key = systemIds.nonce();
  localStorage.setItem(nameOf(draft), JSON.stringify({ text, key } satisfies Draft));
}
