import * as z from 'zod';
import { documentedAs } from '../../api/json-schema.ts';
import { AnyText } from '../../domain/fields.ts';
import { PAGE_SIZE_MAX } from '../../domain/limits.ts';

/** Returns a schema for a text argument. Like the API, it also accepts a number. */
export const textArgument = (description: string) =>
  documentedAs(AnyText.describe(description), z.string().describe(description));

/** A pass, by any of the names that the API accepts. */
export const PassId = textArgument(
  'The pass: its identifier, userProvidedId, barcode value or generatedId, tried in this order',
);

/** A template, by identifier or userProvidedId. */
export const TemplateId = textArgument('Identifier of the template, or its userProvidedId');

/** Next steps of an assistant if the API doesn't know a name. */
export const FIND_TEMPLATE = 'Call list_templates for the identifiers of the templates that this key can use.';
export const FIND_PASS = 'Call search_passes to find the pass, then call this tool again with its identifier.';

/** Default page size. It is small because results fill an assistant's context. */
const PAGE_SIZE = 20;

/** Number of items per page. */
export const PageSize = z.int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE);

/** Start of a page. */
export const FromNext = textArgument('From `next` of the previous page');

const KEY_TEXT =
  'A text of your choice. If you repeat the call with the same text within 24 hours, it takes effect only once';
/** The value becomes a header, which can't contain line breaks. */
const OneLine = AnyText.pipe(z.string().regex(/^[^\0\r\n]*$/, 'must be a single line of text'));

/** Makes a repeated call safe. */
export const IdempotencyKey = documentedAs(OneLine.describe(KEY_TEXT), z.string().describe(KEY_TEXT)).optional();

/** A time in the account's time zone. */
export const When = z.string().describe('In the time zone of the account, such as 2027-01-31 08:30:00');

/** Returns an object without its null members, because a model reads the result and each word costs. */
export function withoutNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
}

/** Returns `data` of a v2 or v3 reply. */
export const dataOf = (reply: unknown) => (reply as { data: unknown }).data;

/** Error messages by name. A result shows only the first ones. */
export const ErrorsShown = {
  errors: z.record(z.string(), z.string()).describe('Errors by pass; only the first ones'),
  errorsTotal: z.int(),
};

const ERRORS_MAX = 20;

/** Returns the first error messages of a reply, and their total. */
export function errorsShown(errors: Record<string, string> | null) {
  const all = Object.entries(errors ?? {});
  return { errors: Object.fromEntries(all.slice(0, ERRORS_MAX)), errorsTotal: all.length };
}

/** Start of a page in a list that the API returns as a whole. */
export const Start = z.int().min(0).default(0).describe('Number of items to skip: `next` of the previous page');

/** Returns a page of such a list, and the start of the next one. */
export function pageOf<Item>(items: Item[], { start, pageSize }: { start: number; pageSize: number }) {
  const end = start + pageSize;
  return { page: items.slice(start, end), total: items.length, next: end < items.length ? end : null };
}
