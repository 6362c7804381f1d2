/** Why something was not done. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="text-bad text-sm">
      {text}
    </p>
  );
}
