CREATE TABLE `search_reindex` (
	`after_key` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE INDEX `passes_often_inactive_by_template` ON `passes` (`template_id`,`number_of_inactive`) WHERE number_of_inactive > 9;--> statement-breakpoint
CREATE INDEX `passes_by_template_download_enabled` ON `passes` (`template_id`,`download_enabled_until_at`) WHERE download_enabled_until_at is not null;--> statement-breakpoint
-- Passes that are stored already: the cron indexes them anew, so that phrases find also what they did not look at before.
INSERT INTO `search_reindex` (`after_key`) SELECT 0 WHERE EXISTS (SELECT 1 FROM `passes`);
