import type { InboxFile, InboxRow } from '../table.ts';

export const INBOX_PATH = '/dev/inbox';

const SOURCE_TYPE = 'message/rfc822';

/** A file of an item, with its path. */
interface FileView {
  filename: string;
  type: string;
  bytes: number;
  /** Path on this origin. */
  path: string;
}

/** Returns the files that the recipient gets. */
export const attachmentsOf = (row: InboxRow): FileView[] => filesOf(row).filter(({ type }) => type !== SOURCE_TYPE);

/** Returns the MIME source of an e-mail; undefined for other kinds. */
export const sourceOf = (row: InboxRow): FileView | undefined => filesOf(row).find(({ type }) => type === SOURCE_TYPE);

function filesOf({ key, files }: InboxRow): FileView[] {
  return files.map(({ filename, type, bytes }: InboxFile, at) => {
    const path = `${INBOX_PATH}/${key}/files/${at}/${encodeURIComponent(filename)}`;
    return { filename, type, bytes, path };
  });
}

/** Returns an item as JSON: members of all kinds, then those of its own kind. */
export function itemView(row: InboxRow, origin: string): Record<string, unknown> {
  const { key, kind, recipient, subject, text, details, createdAt } = row;
  const url = ({ path, ...file }: FileView) => ({ ...file, url: origin + path });
  const source = sourceOf(row);
  const mail = source ? { attachments: attachmentsOf(row).map(url), source: origin + source.path } : {};
  const at = new Date(createdAt).toISOString();
  return { ...details, id: key, kind, to: recipient, subject, text, at, ...mail };
}
