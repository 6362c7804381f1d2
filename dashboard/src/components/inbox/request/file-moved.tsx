export const FileMoved = () => (
  <p className="pb-1 text-sm text-warn">
    The file has changed since the request. Nothing is lost: if you approve, you are asked again with the new
    diff.
  </p>
);
