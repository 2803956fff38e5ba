import { expect, test } from 'vitest';
import { expirationOf } from '../../../../src/domain/passes/card/expiration.ts';
import type { Pass } from '../../../../src/domain/passes/table.ts';
import type { StoredDefinition } from '../../../../src/domain/templates/definition.ts';
import { TemplateDefinition } from '../../../../src/domain/templates/definition.ts';
import { sampleTemplate } from '../../../support/samples.ts';

const TEMPLATE_END = '2027-06-30 22:00';
const at = (text: string) => Date.parse(`${text.replace(' ', 'T')}:00Z`);

function end(expiration: object, own?: string): number | undefined {
  const definition = TemplateDefinition.parse(sampleTemplate({ expiration })) as unknown as StoredDefinition;
  const pass = { createdAt: at('2027-01-01 00:00'), expirationAt: own ? at(own) : null } as Pass;
  return expirationOf(definition, pass, 'UTC');
}

test('a pass without its own date expires with its template', () => {
  expect(end({})).toBeUndefined();
  expect(end({ expirationDate: TEMPLATE_END })).toBe(at(TEMPLATE_END));
});

test('a pass’s own date applies, up to the template’s if that is a limit', () => {
  expect(end({ expirationDate: TEMPLATE_END }, '2027-12-31 10:00')).toBe(at('2027-12-31 10:00'));
  const limit = { expirationDate: TEMPLATE_END, limitExpirationDateOfPassWithTemplate: true };
  expect(end(limit, '2027-12-31 10:00')).toBe(at(TEMPLATE_END));
  expect(end(limit, '2027-02-01 10:00')).toBe(at('2027-02-01 10:00'));
});

test('if dates differ per pass, the template’s is the default only if configured', () => {
  const differs = { expirationDate: TEMPLATE_END, expirationDateDifferentForEachPass: true };
  expect(end(differs)).toBeUndefined();
  expect(end({ ...differs, fallbackToTemplateExpirationDateIfEmpty: true })).toBe(at(TEMPLATE_END));
});

test('validityInDays counts from the creation of the pass', () => {
  expect(end({ validityInDays: 30 })).toBe(at('2027-01-31 00:00'));
  expect(end({ validityInDays: 30 }, '2027-01-10 00:00')).toBe(at('2027-01-10 00:00'));
});
