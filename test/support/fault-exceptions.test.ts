import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULT_EXCEPTIONS } from './fault-exceptions.ts';

const API = join(import.meta.dirname, '../api');

test('each test that a run with faults leaves out exists', () => {
  const files = readdirSync(API, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const texts = files.map((file) => readFileSync(join(API, file), 'utf8'));
  const unknown = FAULT_EXCEPTIONS.filter(({ title }) => !texts.some((text) => text.includes(title)));
  expect(unknown).toEqual([]);
});
