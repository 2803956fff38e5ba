import * as z from 'zod';
import { AnyText, PassText } from '../fields.ts';
import { TEXT_CHARS_MAX } from '../limits.ts';

/** Limits of one query. */
export const GROUPS_MAX = 20;
export const CONDITIONS_MAX = 50;
export const VALUES_MAX = 500;

const Scalar = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or an array of these' })
  .transform(String)
  .pipe(z.string().max(TEXT_CHARS_MAX));

const Condition = z.object({
  field: AnyText,
  operator: AnyText,
  /** Values of an array combine with OR; a negating operator excludes all of them. */
  value: z.union([z.array(Scalar), Scalar], { error: 'must be a string, a number or an array of these' }).nullish(),
});

/** Conditions in one group combine with AND, groups with OR; without any there is no restriction. */
export const Query = z
  .object({
    title: AnyText.nullish(),
    templateId: AnyText.nullish(),
    projectId: AnyText.nullish(),
    searchPhrase: PassText.nullish(),
    groups: z.array(z.array(Condition)).max(GROUPS_MAX, `must have at most ${GROUPS_MAX} groups`).nullish(),
  })
  .superRefine(({ groups }, check) => {
    const conditions = (groups ?? []).flat();
    const values = conditions.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 1), 0);
    const refuse = (message: string) => check.addIssue({ code: 'custom', path: ['groups'], message });
    if (conditions.length > CONDITIONS_MAX) refuse(`must have at most ${CONDITIONS_MAX} conditions`);
    if (values > VALUES_MAX) refuse(`must have at most ${VALUES_MAX} values`);
  });
export type Query = z.output<typeof Query>;
export type Condition = z.output<typeof Condition>;
