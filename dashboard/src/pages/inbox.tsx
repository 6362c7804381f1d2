import { PageHeader } from "../components/page-header.tsx";

export function InboxPage() {
  return <PageHeader title="Inbox" />;
}
