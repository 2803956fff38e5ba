import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const undone = new Set<() => void>();

/** Calls `undo` when the process exits, also on Ctrl-C. The returned function cancels that. */
export function atExit(undo: () => void): () => void {
  if (!process.listeners('exit').includes(undoAll)) process.on('exit', undoAll);
  undone.add(undo);
  return () => void undone.delete(undo);
}

function undoAll(): void {
  for (const undo of undone) undo();
}

/** Creates a folder that is removed by `remove` or when the process exits. */
export function temporaryFolder(prefix: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const callOff = atExit(remove);
  return {
    path,
    remove() {
      remove();
      callOff();
    },
  };
}
