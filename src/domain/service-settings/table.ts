import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Settings of the whole service, in one row. Only the directory's table has it. */
export const serviceSettings = sqliteTable('service_settings', {
  /** Always `SETTINGS_ID`. */
  id: integer('id').primaryKey(),
  /** Public origin that links begin with, unless BASE_URL is set; null: the origin of each request. */
  baseUrl: text('base_url'),
  /** When somebody created the first account at `/setup`; null: nobody has. */
  setUpAt: integer('set_up_at'),
});

/** The identifier of the only row. */
export const SETTINGS_ID = 1;
