CREATE INDEX `passes_on_devices_by_template` ON `passes` (`template_id`,`number_of_active`) WHERE number_of_active > 1;--> statement-breakpoint
-- Not read since 0.1.0 until the next statement: of equally good indexes SQLite takes the last one that was made.
DROP INDEX `passes_active_keys_by_template`;--> statement-breakpoint
CREATE INDEX `passes_active_keys_by_template` ON `passes` (`template_id`) WHERE number_of_active > 0;--> statement-breakpoint
-- Not read since 0.1.0, for which `passes_active_keys_by_template` does as well.
DROP INDEX `passes_active_by_template`;--> statement-breakpoint
-- Not read since 0.1.0, for which `registrations_begun` does as well: it begins with the same column.
DROP INDEX `registrations_by_pass`;
