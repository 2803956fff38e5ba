CREATE INDEX `passes_by_callers_id` ON `passes` (`user_provided_id`,substr(account_id, -12)) WHERE user_provided_id is not null;--> statement-breakpoint
CREATE INDEX `passes_by_own_barcode` ON `passes` (`barcode_value`,substr(account_id, -12)) WHERE barcode_value <> generated_id;--> statement-breakpoint
-- Not read since 0.1.0, for which `passes_by_callers_id` does as well.
DROP INDEX `passes_by_user_provided_id`;--> statement-breakpoint
-- Not read since 0.1.0, which doesn't know it.
DROP INDEX `passes_by_own_barcode_value`;--> statement-breakpoint
-- Not read since 0.1.0 until the next statement, which makes it without the identifier.
DROP INDEX `passes_by_template_modified`;--> statement-breakpoint
CREATE INDEX `passes_by_template_modified` ON `passes` (`template_id`,`modified_at`);
--> statement-breakpoint
-- Not read since 0.1.0 until the next statement: of equally good indexes SQLite takes the last one that was made.
DROP INDEX `passes_inactive_by_template`;--> statement-breakpoint
CREATE INDEX `passes_inactive_by_template` ON `passes` (`template_id`) WHERE number_of_inactive > 0;--> statement-breakpoint
-- Not read since 0.1.0 until the next statement: for the same reason.
DROP INDEX `passes_printed_by_template`;--> statement-breakpoint
CREATE INDEX `passes_printed_by_template` ON `passes` (`template_id`) WHERE number_of_printed > 0;--> statement-breakpoint
-- Not read since 0.1.0 until the next statement: for the same reason.
DROP INDEX `passes_active_keys_by_template`;--> statement-breakpoint
CREATE INDEX `passes_active_keys_by_template` ON `passes` (`template_id`) WHERE number_of_active > 0;
--> statement-breakpoint
-- Passes that are stored already: the cron indexes them anew from the first one on, with shorter words of identifiers.
DELETE FROM `search_reindex`;--> statement-breakpoint
INSERT INTO `search_reindex` (`after_key`) SELECT 0 WHERE EXISTS (SELECT 1 FROM `passes`);
