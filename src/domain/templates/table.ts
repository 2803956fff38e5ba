import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { StoredDefinition } from './definition.ts';

/** Pass templates, with the data that lists and rules need. The definitions are in `template_versions`. */
export const templates = sqliteTable(
  'templates',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    projectId: text('project_id'),
    /** External template ID, usable in integration URLs. */
    userProvidedId: text('user_provided_id'),
    /** Newest definition (`versions.ts`); new passes use it at once. */
    version: integer('version').notNull().default(1),
    /** Newest definition that existing passes show. */
    publishedVersion: integer('published_version').notNull().default(1),
    /** When existing passes got that definition. */
    publishedAt: integer('published_at').notNull(),
    /**
     * Unique properties of the newest definition, and those that become unique (`uniquePropertyChanges`). At commit,
     * they decide which values a pass claims, whichever definition it shows.
     */
    uniqueProperties: text('unique_properties', { mode: 'json' }).$type<string[]>().notNull(),
    /** Number of existing passes; stored, so that lists and `maxPasses` never count rows. */
    passCount: integer('pass_count').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    modifiedAt: integer('modified_at').notNull(),
  },
  (table) => [
    index('templates_by_account').on(table.accountId, table.id),
    uniqueIndex('templates_by_user_provided_id').on(table.accountId, table.userProvidedId),
  ],
);

/**
 * Properties of large templates whose values are being claimed before a definition makes them unique, or released after
 * they no longer are. While a property has a row, its claims are incomplete or obsolete.
 */
export const uniquePropertyChanges = sqliteTable(
  'unique_property_changes',
  {
    templateId: text('template_id').notNull(),
    propertyId: text('property_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Run that claims the values for a definition that isn't stored yet; null: the values are being released. */
    run: text('run'),
    /** When the cron releases the values because the run made no progress, UTC milliseconds. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.templateId, table.propertyId] }),
    index('unique_property_changes_due').on(table.dueAt),
  ],
);

/** Definitions of templates. A row never changes, because each edit is a new version, so isolates may cache it. */
export const templateVersions = sqliteTable(
  'template_versions',
  {
    templateId: text('template_id').notNull(),
    version: integer('version').notNull(),
    definition: text('definition', { mode: 'json' }).$type<StoredDefinition>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.templateId, table.version] })],
);

/**
 * Assigned numbers of `customNumberRange`, from `first` up to but not including `next`. Intervals of a prefix never
 * overlap. None is deleted before its template, so that no number is assigned twice.
 */
export const customNumbers = sqliteTable(
  'custom_numbers',
  {
    templateId: text('template_id').notNull(),
    prefix: text('prefix').notNull(),
    first: integer('first').notNull(),
    next: integer('next').notNull(),
  },
  (table) => [primaryKey({ columns: [table.templateId, table.prefix, table.first] })],
);

/**
 * Deleted templates with passes left to delete. They have no row in `templates`, so no query that joins it finds their
 * passes. After the last page of passes, this row and the definitions are deleted.
 */
export const templateDeletions = sqliteTable('template_deletions', {
  templateId: text('template_id').primaryKey(),
  accountId: text('account_id').notNull(),
  /** Version that the passes showed, for the events of their deletion. */
  publishedVersion: integer('published_version').notNull(),
  /** Time of the last job; the cron resumes deletions without progress. */
  resumedAt: integer('resumed_at').notNull(),
});

export type Template = typeof templates.$inferSelect;
