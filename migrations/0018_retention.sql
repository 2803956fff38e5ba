CREATE TABLE `daily_counts` (
	`account_id` text NOT NULL,
	`metric` text NOT NULL,
	`day_at` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `metric`, `day_at`)
);
--> statement-breakpoint
ALTER TABLE `bundle_links` ADD `empty_since_at` integer;--> statement-breakpoint
CREATE INDEX `notifications_executed` ON `notifications` (`executed_at`) WHERE executed_at is not null;--> statement-breakpoint
CREATE INDEX `processes_ended` ON `processes` (`finished_at`) WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX `segments_by_expiry` ON `segments` (`expires_at`) WHERE expires_at is not null;