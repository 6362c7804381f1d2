import { PageHeader } from "../components/page-header.tsx";

export function AgentPage() {
  return <PageHeader title="Agent" />;
}
