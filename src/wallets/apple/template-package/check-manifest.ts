import { createHash } from 'node:crypto';
import { DomainError } from '../../../domain/errors.ts';
import { readFile, readJson, type TemplatePackage } from './open-package.ts';
import type { Warnings } from './warnings.ts';

/**
 * Compares the files of a pass with its manifest. The importer vouches for the pass and nothing of it is signed again,
 * so a difference is only a warning. Ignores the signature.
 */
export function checkManifest({ files }: TemplatePackage, used: Iterable<string>, warnings: Warnings): void {
  const file = files.get('manifest.json');
  if (!file) return;
  const expected = digestsIn(file);
  if (!expected) {
    warnings.add('manifest.json', 'cannot be read');
    return;
  }
  const changed = [...used].filter((name) => {
    const digest = Object.hasOwn(expected, name) ? expected[name] : undefined;
    return (
      digest !==
      createHash('sha1')
        .update(readFile(files.get(name)!))
        .digest('hex')
    );
  });
  if (changed.length > 0)
    warnings.add('manifest.json', `the pass was changed after it was signed: ${changed.slice(0, 5).join(', ')}`);
}

function digestsIn(file: Parameters<typeof readJson>[0]): Record<string, unknown> | undefined {
  try {
    return readJson(file);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
