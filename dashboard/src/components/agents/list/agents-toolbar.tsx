import { RefreshCw } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../../ui/button.tsx";
import { useHotkeys } from "../../../ui/hotkeys.ts";
import { Input, Select } from "../../../ui/input.tsx";

export interface AgentsToolbarProps {
  q: string;
  scope: "own" | "all";
  reloading: boolean;
  onSearch(q: string): void;
  onScope(scope: "own" | "all"): void;
  onReload(): void;
}

export function AgentsToolbar({ q, scope, reloading, onSearch, onScope, onReload }: AgentsToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([
    { keys: "/", label: "Search agents", run: () => field.current?.focus() },
    { keys: "r", label: "Reload the agent files", run: onReload },
  ]);
  return (
    <>
      <Input
        ref={field}
        type="search"
        aria-label="Search agents"
        placeholder="Name, description or model"
        value={q}
        onChange={({ target }) => onSearch(target.value)}
        className="order-last h-10 w-full md:order-none md:h-8 md:w-72"
      />
      <Select
        aria-label="Which agents"
        value={scope}
        onChange={({ target }) => onScope(target.value === "all" ? "all" : "own")}
        className="h-10 max-w-36 md:h-8 md:max-w-none"
      >
        <option value="own">Your agents</option>
        <option value="all">All agents, including built-in ones</option>
      </Select>
      <Button
        onClick={onReload}
        disabled={reloading}
        className="h-10 max-md:px-2.5 md:h-8"
        title="Reload the agent files (r)"
      >
        <RefreshCw size={14} aria-hidden className={reloading ? "animate-spin" : undefined} />
        <span className="max-md:sr-only">Reload</span>
      </Button>
    </>
  );
}
