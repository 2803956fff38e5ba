import type { OutboxFile, OutboxRow } from '../../domain/outbox/table.ts';

export const OUTBOX_PATH = '/dev/outbox';

const SOURCE_TYPE = 'message/rfc822';

/** A file of an item, and where it is. */
export interface FileView {
  filename: string;
  type: string;
  bytes: number;
  /** Path on this origin. */
  path: string;
}

/** Files that the recipient gets. */
export function attachmentsOf(row: OutboxRow): FileView[] {
  return filesOf(row).filter(({ type }) => type !== SOURCE_TYPE);
}

/** The mail as it would travel; undefined for other kinds. */
export function sourceOf(row: OutboxRow): FileView | undefined {
  return filesOf(row).find(({ type }) => type === SOURCE_TYPE);
}

function filesOf({ key, files }: OutboxRow): FileView[] {
  return files.map(({ filename, type, bytes }: OutboxFile, at) => {
    const path = `${OUTBOX_PATH}/${key}/files/${at}/${encodeURIComponent(filename)}`;
    return { filename, type, bytes, path };
  });
}

/** An item as JSON: what all kinds have, then what its kind adds. */
export function outboxItemView(row: OutboxRow, origin: string): Record<string, unknown> {
  const { key, kind, recipient, subject, text, details, createdAt } = row;
  const url = ({ path, ...file }: FileView) => ({ ...file, url: origin + path });
  const source = sourceOf(row);
  const mail = source ? { attachments: attachmentsOf(row).map(url), source: origin + source.path } : {};
  const at = new Date(createdAt).toISOString();
  return { ...details, id: key, kind, to: recipient, subject, text, at, ...mail };
}
