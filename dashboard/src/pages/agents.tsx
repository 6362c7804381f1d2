import { PageHeader } from "../components/page-header.tsx";

export function AgentsPage() {
  return <PageHeader title="Agents" />;
}
