import * as z from 'zod';
import { documentedAs } from '../../api/json-schema.ts';
import { AnyText } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';

/** A text, as schemas for models say it; a number is taken as one, as everywhere in the API. */
export const textArgument = (description: string) =>
  documentedAs(AnyText.describe(description), z.string().describe(description));

/** The name of a pass, as in the paths of the API. */
export const PassId = textArgument(
  'The pass: its identifier, userProvidedId, barcode value or generatedId, tried in this order',
);

/** The name of a template. */
export const TemplateId = textArgument('Identifier of the template, or its userProvidedId');

/** Results go into the memory of an assistant, so that a page is small unless more is asked for. */
const PAGE_SIZE = 20;

/** Number of items of a page. */
export const PageSize = z.int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE);

/** The start of a page. */
export const FromNext = textArgument('From `next` of the page before');

const KEY_TEXT = 'A text of your choice. A repeat of the call with the same text within 24 hours does nothing twice';
/** It becomes a header, which cannot contain line breaks. */
const OneLine = AnyText.pipe(z.string().regex(/^[^\0\r\n]*$/, 'must be a single line of text'));

/** Makes the repeat of a call safe. */
export const IdempotencyKey = documentedAs(OneLine.describe(KEY_TEXT), z.string().describe(KEY_TEXT)).optional();

/** A time in the account's time zone. */
export const When = z.string().describe('In the time zone of the account, such as 2027-01-31 08:30:00');

/** An object without the members that are null: a result is read by a model, and each word costs. */
export function withoutNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
}

/** Items of the reply to a v3 or v2 request. */
export const dataOf = (reply: unknown) => (reply as { data: unknown }).data;

/** Messages by name, of which a result shows the first ones. */
export const ErrorsShown = {
  errors: z.record(z.string(), z.string()).describe('What is wrong, by pass: the first ones'),
  errorsTotal: z.int(),
};

const ERRORS_MAX = 20;

/** The first of the messages that a reply holds, and their number. */
export function errorsShown(errors: Record<string, string> | null) {
  const all = Object.entries(errors ?? {});
  return { errors: Object.fromEntries(all.slice(0, ERRORS_MAX)), errorsTotal: all.length };
}

/** A part of a list that the API returns whole. */
export const Start = z.int().min(0).default(0).describe('Number of items to skip: `next` of the page before');

/** One page of such a list, and where the next one starts. */
export function pageOf<Item>(items: Item[], { start, pageSize }: { start: number; pageSize: number }) {
  const end = start + pageSize;
  return { page: items.slice(start, end), total: items.length, next: end < items.length ? end : null };
}
