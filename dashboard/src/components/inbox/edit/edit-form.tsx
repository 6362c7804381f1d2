// U23: a form for the input of a call, field by field or as JSON.
// While the user types, the server checks the input and previews the call. It checks the input again before it records the decision.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import type { ApprovalView, EditPreview } from "../../../../../src/api/client/types.ts";
import { CommandParts } from "../../../display/command/command-parts.tsx";
import { CommandText } from "../../../display/command/command-text.tsx";
import { Diff } from "../../../display/diff/diff.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { editPreviewQuery } from "../../../live/queries.ts";
import { TextArea } from "../../../ui/input.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import { stripPatchHeader } from "../request/request-view.tsx";
import type { Draft } from "./draft.ts";

export interface EditState {
  /** The server's check of the latest draft; undefined while the check is pending. */
  checked: EditPreview | undefined;
  failed: Error | null;
}

const PAUSE_MS = 200;

/** Asks the server to check an input, shortly after the last key press. */
export function useEditState({ id }: ApprovalView, input: unknown, enabled: boolean): EditState {
  const asked = useDebounced(input, PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    ...editPreviewQuery(id, asked),
    enabled: enabled && asked !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { checked: asked === input && !isPlaceholderData ? data : undefined, failed: error };
}

export interface EditFormProps {
  draft: Draft;
  onChange(draft: Draft): void;
  state: EditState;
  problem: string | undefined;
  /** Leaves the form. The draft is kept. */
  onLeave(): void;
}

export function EditForm({ draft, onChange, state: { checked }, problem, onLeave }: EditFormProps) {
  const [shown, setShown] = useState<EditPreview>();
  useEffect(() => {
    if (checked && checked.problem === undefined) setShown(checked);
  }, [checked]);
  return (
    <div className="flex flex-col gap-3">
      {draft.fields.map((field, at) => (
        <Field
          key={field.name}
          name={field.name}
          text={field.text}
          autoFocus={at === draft.main}
          problem={checked?.issues.find(({ path }) => path[0] === field.name)?.message}
          onChange={(text) => onChange(draft.with(field.name, text))}
          onLeave={onLeave}
        />
      ))}
      <EditProblem text={problem} />
      {shown?.command && <CommandParts command={shown.command} />}
      {shown?.preview !== undefined && !shown.change && !shown.command && (
        <CommandText text={shown.preview} className="text-warn" />
      )}
      {shown?.change && shown.preview !== undefined && (
        <section aria-label="Resulting change">
          <Diff whole patch={stripPatchHeader(shown.preview)} />
        </section>
      )}
    </div>
  );
}

interface FieldProps {
  name: string;
  text: string;
  autoFocus: boolean;
  problem: string | undefined;
  onChange(text: string): void;
  onLeave(): void;
}

/** The name of an input field for people: `file_path` becomes `File path`. */
export const fieldLabel = (name: string): string => {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words === "" ? name : `${words.charAt(0).toUpperCase()}${words.slice(1).toLowerCase()}`;
};

function Field({ name, text, autoFocus, problem, onChange, onLeave }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-muted text-xs">
        {fieldLabel(name)}
      </label>
      <TextArea
        id={id}
        autoFocus={autoFocus}
        spellCheck={false}
        rows={Math.min(24, Math.max(1, text.split("\n").length))}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onFocus={({ currentTarget: field }) => {
          // Puts the cursor at the end of the text that the field already has.
          if (autoFocus) field.setSelectionRange(field.value.length, field.value.length);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.currentTarget.blur();
          onLeave();
        }}
        onChange={(event) => onChange(event.target.value)}
        className="w-full resize-y font-mono text-xs leading-5"
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} className="text-bad text-xs">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Says why the changed call cannot be approved. */
export function EditProblem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="whitespace-pre-wrap text-bad text-sm">
      <VisibleText text={text} />
    </p>
  );
}
