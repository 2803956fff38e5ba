import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Keys that an account signs texts with (ECDSA, P-256). Replaced ones stay, to verify their signatures. */
export const signingKeys = sqliteTable(
  'signing_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** SubjectPublicKeyInfo PEM. */
    publicKeyPem: text('public_key_pem').notNull(),
    /** PKCS#8 PEM, encrypted with the row's identifier as owner. */
    privateKeySealed: text('private_key_sealed').notNull(),
    /** Whether the account signs with it now. */
    active: integer('active', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('signing_keys_active').on(table.accountId).where(sql`active = 1`),
    index('signing_keys_by_account').on(table.accountId, table.id),
  ],
);

export type SigningKey = typeof signingKeys.$inferSelect;
