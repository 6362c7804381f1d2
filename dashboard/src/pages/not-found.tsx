import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { Empty } from "../ui/empty.tsx";

export function NotFound() {
  return (
    <Empty icon={<SearchX size={28} aria-hidden />} title="There is no such page">
      <p>Nothing is lost: runs are found by their ids.</p>
      <Link to="/" className="text-accent underline">
        All runs
      </Link>
    </Empty>
  );
}
