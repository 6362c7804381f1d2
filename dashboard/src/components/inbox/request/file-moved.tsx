export const FileMoved = () => (
  <p className="pb-1 text-sm text-warn">
    The file has been changed since. Nothing of that is lost: if you approve, it is asked again with the new
    difference.
  </p>
);
