import { useNavigate } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Kbd } from "../../../ui/kbd.tsx";

/** U28: others differ from this one only in names. */
export function BatchButton({ count, id }: { count: number; id: string }) {
  const navigate = useNavigate({ from: "/inbox" });
  const open = () => void navigate({ search: { item: id, together: true } });
  useHotkeys([{ keys: "b", label: "Answer those that are alike together", run: open }]);
  return (
    <Button className="self-start max-md:h-11" onClick={open}>
      <Layers size={15} aria-hidden /> {count} more like this: answer together
      <span className="max-md:hidden">
        <Kbd>b</Kbd>
      </span>
    </Button>
  );
}
