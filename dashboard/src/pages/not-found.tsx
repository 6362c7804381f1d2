import { Link } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { PageHeader } from "../components/shell/page-header.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState icon={<SearchX size={28} aria-hidden />} title="There is no such page">
        <p>Nothing is lost. You can find every run in the list of runs.</p>
        <Link to="/" className="text-accent underline">
          All runs
        </Link>
      </EmptyState>
    </>
  );
}
