/** An error message next to the control that caused it. Renders nothing if there is no message. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="text-bad text-sm">
      {text}
    </p>
  );
}
