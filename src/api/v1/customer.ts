import { Hono } from 'hono';
import * as z from 'zod';
import { createSubCustomer } from '../../domain/accounts/create-account.ts';
import { AnyText, EMAIL_HINT } from '../../domain/fields.ts';
import { NAME_CHARS_MAX } from '../../domain/limits.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';
import { text } from '../view-fields.ts';

const Text = AnyText.pipe(z.string().trim().max(NAME_CHARS_MAX));
const Required = Text.pipe(z.string().min(1, 'must not be empty'));

/** An optional field; null and an empty text count as left out. */
const optional = <S extends z.ZodType<string>>(text: S) => text.nullish().transform((value) => value || undefined);

const isEmail = (text: string) => z.email().safeParse(text).success;
const Email = Text.pipe(z.string().refine((text) => text === '' || isEmail(text), EMAIL_HINT));

const NO_COUNT = 'must be an integer, 0 or more';
const Address = AnyText.pipe(z.string().trim());
const Count = z
  .union(
    [
      z.int().min(0, NO_COUNT),
      z
        .string()
        .trim()
        .regex(/^\d{0,15}$/, NO_COUNT),
    ],
    NO_COUNT,
  )
  .nullish()
  .transform((value) => (value == null || value === '' ? undefined : Number(value)));

/** A sub-customer. */
const CustomerInput = z.object({
  company_name: Required,
  email: optional(Email),
  first_name: optional(Text),
  last_name: Required,
  address_street1: optional(Text),
  address_street2: optional(Text),
  zip_code: optional(Text),
  city: optional(Text),
  country: optional(Text),
  vat_id: optional(Text),
  maximum_number_of_active_passes: Count,
  system_language: z.enum(['de', 'en'], 'must be "de" or "en"').nullish(),
  logoUrl: optional(Address),
  iconUrl: optional(Address),
});

const CustomerView = z.object({
  customer_identifier: z.uuid(),
  apiToken: text('pk_…'),
  pricePerMonth: z.number(),
});

const CUSTOMER = {
  company_name: 'Harbour Theatre',
  email: 'office@harbour-theatre.example',
  first_name: 'Grace',
  last_name: 'Hopper',
  address_street1: 'Quay 7',
  zip_code: '20457',
  city: 'Hamburg',
  country: 'Germany',
  maximum_number_of_active_passes: 5_000,
  system_language: 'de',
};

export const customerRoutes = new Hono<ApiEnv>().post(
  '/',
  operation({
    id: 'createCustomer',
    summary: 'Create a sub-customer',
    description:
      'The new account belongs to the caller’s account and uses the time zone UTC. Its API key works at once and is returned only here.',
    tag: 'Customers',
    scope: 'customers:manage',
    isAccountWide: true,
    example: CUSTOMER,
    replies: { 201: { description: 'Created', schema: CustomerView } },
  }),
  validate('json', CustomerInput),
  async (c) => {
    const input = c.req.valid('json');
    const { account, apiKey } = await createSubCustomer(c.var.ctx, {
      name: input.company_name,
      language: input.system_language ?? undefined,
      logoUrl: input.logoUrl,
      iconUrl: input.iconUrl,
      maxActivePasses: input.maximum_number_of_active_passes,
      contact: {
        email: input.email,
        firstName: input.first_name,
        lastName: input.last_name,
        street1: input.address_street1,
        street2: input.address_street2,
        zipCode: input.zip_code,
        city: input.city,
        country: input.country,
        vatId: input.vat_id,
      },
    });
    return c.json({ customer_identifier: account.id, apiToken: apiKey, pricePerMonth: 0 }, 201);
  },
);
