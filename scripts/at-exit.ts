import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const undone = new Set<() => void>();

/** Has something undone when the process ends, also by Ctrl-C; the function that it returns calls this off. */
export function atExit(undo: () => void): () => void {
  if (!process.listeners('exit').includes(undoAll)) process.on('exit', undoAll);
  undone.add(undo);
  return () => void undone.delete(undo);
}

function undoAll(): void {
  for (const undo of undone) undo();
}

/** A folder that is gone when it is no longer needed, or when the process ends. */
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
