import { expect, test } from 'vitest';
import { DomainError, invalidField, within } from '../../src/domain/errors.ts';

test('errors within a part name its fields from there', async () => {
  const wrong = within('items.3', () => {
    throw invalidField('name', 'is required');
  });
  await expect(wrong).rejects.toMatchObject({ kind: 'invalid', issues: [{ path: 'items.3.name' }] });
});

test('an error that is not for the caller is not changed', async () => {
  const broken = new TypeError('a bug');
  const thrown = await within('items.3', () => Promise.reject(broken)).catch((error: unknown) => error);
  expect(thrown).toBe(broken);
  expect(thrown).not.toBeInstanceOf(DomainError);
});
