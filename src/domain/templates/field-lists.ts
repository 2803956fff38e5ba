import * as z from 'zod';
import { AnyText, PassName, PassText } from '../fields.ts';
import { Semantics } from './apple/semantics.ts';
import { FIELD_LISTS } from './list-names.ts';
import { refuseIn } from './refuse.ts';

const STYLES = [
  'PKDateStyleNone',
  'PKDateStyleShort',
  'PKDateStyleMedium',
  'PKDateStyleLong',
  'PKDateStyleFull',
] as const;
const NUMBER_STYLES = [
  'PKNumberStyleDecimal',
  'PKNumberStylePercent',
  'PKNumberStyleScientific',
  'PKNumberStyleSpellOut',
] as const;
const ALIGNMENTS = [
  'PKTextAlignmentLeft',
  'PKTextAlignmentCenter',
  'PKTextAlignmentRight',
  'PKTextAlignmentNatural',
] as const;

/** Field on the card. Names and values match Apple's `PassFieldContent` where it has a counterpart. */
export const FieldItem = z
  .object({
    index: z.number().int().min(0).nullish(),
    key: PassName.pipe(z.string().min(1)).nullish(),
    type: z.enum(['text', 'number', 'currency', 'date']).default('text'),
    label: PassText.default(''),
    value: PassText.default(''),
    changeMessage: PassText.pipe(
      z.string().refine((text) => text === '' || text.includes('%@'), 'must contain %@, as in "Now at %@"'),
    ).nullish(),
    dateStyle: z.enum(STYLES).nullish(),
    timeStyle: z.enum(STYLES).nullish(),
    ignoresTimezone: z.boolean().nullish(),
    isRelative: z.boolean().nullish(),
    numberStyle: z.enum(NUMBER_STYLES).nullish(),
    currencyCode: AnyText.pipe(z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as "EUR"')).nullish(),
    alignment: z.enum(ALIGNMENTS).nullish(),
    voidedLabel: PassText.nullish(),
    voidedValue: PassText.nullish(),
    row: z.union([z.literal(0), z.literal(1)]).nullish(),
    semantics: Semantics.nullish(),
  })
  .superRefine((field, check) => {
    const refuse = refuseIn(check);
    if (field.type === 'currency' && !field.currencyCode) refuse(['currencyCode'], 'is required for type currency');
    if (field.currencyCode && field.numberStyle) refuse(['numberStyle'], 'is not allowed together with currencyCode');
  });
export type FieldItem = z.infer<typeof FieldItem>;

const list = () => z.array(FieldItem).max(100).default([]);

/** Lists of fields. `index` orders a list and addresses an item in PATCH; `key` is unique in the whole pass. */
export const FieldLists = z
  .object({
    headerFields: list(),
    primaryFields: list(),
    secondaryFields: list(),
    auxiliaryFields: list(),
    backFields: list(),
  })
  .superRefine((lists, check) => {
    const refuse = refuseIn(check);
    const keys = new Set<string>();
    for (const name of FIELD_LISTS) {
      const indexes = new Set<number>();
      for (const [i, { key, index }] of lists[name].entries()) {
        if (key && keys.has(key)) refuse([name, i, 'key'], `"${key}" occurs twice in the pass`);
        if (key) keys.add(key);
        if (index != null && indexes.has(index)) refuse([name, i, 'index'], `${index} occurs twice in the list`);
        if (index != null) indexes.add(index);
      }
    }
  });
export type FieldLists = z.infer<typeof FieldLists>;
