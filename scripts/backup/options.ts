import { parseArgs } from 'node:util';
import { Problem } from '../settings.ts';

interface Given {
  to?: string;
  from?: string;
  remote?: boolean;
  replace?: boolean;
}

/** What stands behind `npm run backup --` and `npm run restore --`. Throws a `Problem`. */
export function readBackupOptions(words: string[], command: 'backup' | 'restore') {
  const place = command === 'backup' ? 'to' : 'from';
  const usage = `npm run ${command} -- --${place} <folder> [--remote]${command === 'restore' ? ' [--replace]' : ''}`;
  try {
    const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
    const { values } =
      command === 'backup'
        ? parseArgs({ args: words, options: { to: text, remote: flag } })
        : parseArgs({ args: words, options: { from: text, remote: flag, replace: flag } });
    const { to, from, remote = false, replace = false }: Given = values;
    const folder = to ?? from;
    if (folder) return { folder, remote, replace };
  } catch {
    // The usage says what is possible.
  }
  throw new Problem(`Usage: ${usage}, with BACKUP_KEY in the environment.`);
}
