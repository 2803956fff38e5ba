import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { StoredDefinition } from './definition.ts';

/** Pass templates: what lists and rules need. The definition itself stands in `template_versions`. */
export const templates = sqliteTable(
  'templates',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    projectId: text('project_id'),
    /** External template ID, usable in integration URLs. */
    userProvidedId: text('user_provided_id'),
    /** Newest definition (`versions.ts`): new passes use it at once. */
    version: integer('version').notNull().default(1),
    /** Newest definition that reaches existing passes, too. */
    publishedVersion: integer('published_version').notNull().default(1),
    /** When that definition reached existing passes. */
    publishedAt: integer('published_at').notNull(),
    /**
     * Of the newest definition, and those that become unique (`uniquePropertyChanges`); they decide at commit what a
     * pass claims, whichever definition it shows.
     */
    uniqueProperties: text('unique_properties', { mode: 'json' }).$type<string[]>().notNull(),
    /** Number of existing passes; kept, so that lists and `maxPasses` never count rows. */
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
 * Properties of large templates whose values are being claimed, before a definition makes them unique, or given up,
 * because they no longer are. Until a property has left, what is claimed of it is not all, or too much.
 */
export const uniquePropertyChanges = sqliteTable(
  'unique_property_changes',
  {
    templateId: text('template_id').notNull(),
    propertyId: text('property_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Who claims the values, for a definition that is not stored yet; null: they are being given up. */
    run: text('run'),
    /** From when on the cron gives the values up, UTC milliseconds: nobody has claimed any more for too long. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.templateId, table.propertyId] }),
    index('unique_property_changes_due').on(table.dueAt),
  ],
);

/** Definitions of templates. A row never changes: each edit is a new version, so isolates may cache it. */
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
 * Numbers of `customNumberRange` that were handed out: from `first` up to but not including `next`. Intervals of a
 * prefix never overlap, and none goes before its template, so that no number is handed out twice.
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
 * Templates that were deleted and still have passes to remove. Their row has left `templates`, so nothing that joins a
 * template finds their passes any more; the last page of passes takes this row and the definitions along.
 */
export const templateDeletions = sqliteTable('template_deletions', {
  templateId: text('template_id').primaryKey(),
  accountId: text('account_id').notNull(),
  /** What the passes showed, for the events of their deletion. */
  publishedVersion: integer('published_version').notNull(),
  /** When the last page was asked for; the cron takes up what stands still. */
  resumedAt: integer('resumed_at').notNull(),
});

export type Template = typeof templates.$inferSelect;
