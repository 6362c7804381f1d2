import { PageHeader } from "../components/page-header.tsx";

export function ChatPage() {
  return <PageHeader title="Chat" />;
}
