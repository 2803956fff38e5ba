-- Takes the place of webhook_deliveries, whose rows the cron moves. A delivery is one written row and one index entry.
CREATE TABLE `event_deliveries` (
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`state` text NOT NULL,
	`next_attempt_at` integer,
	`attempt_count` integer NOT NULL,
	`attempts` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`subscription_id`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `event_deliveries_due` ON `event_deliveries` (`subscription_id`,`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `event_deliveries_failed` ON `event_deliveries` (`subscription_id`,`event_id`) WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX `event_deliveries_answered` ON `event_deliveries` (`event_id`) WHERE instr(attempts, '"answer"') > 0;