import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULT_EXCEPTIONS, FAULTY_FOLDERS } from './fault-exceptions.ts';

const ROOT = join(import.meta.dirname, '../..');

test('each test that runs with faults skip exists', () => {
  const texts = FAULTY_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
  );
  const unknown = FAULT_EXCEPTIONS.filter(
    ({ title, written = title }) => !texts.some((text) => text.includes(written)),
  );
  expect(unknown).toEqual([]);
});
