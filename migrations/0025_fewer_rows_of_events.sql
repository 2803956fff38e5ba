-- Takes the place of events, whose rows stay there until they are too old. An event without a subscriber is one written row.
CREATE TABLE `account_events` (
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`type` text NOT NULL,
	`template_id` text,
	`pass_id` text,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`subscription_id` text,
	`pending` integer,
	`has_values` integer,
	PRIMARY KEY(`account_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `account_events_pending` ON `account_events` (`pending`) WHERE pending is not null;--> statement-breakpoint
CREATE INDEX `account_events_with_values` ON `account_events` (`pass_id`) WHERE has_values is not null and pass_id is not null;--> statement-breakpoint
ALTER TABLE `counted_events` ADD `total` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `counted_events` SET `total` = (SELECT coalesce(max(`key`), 0) FROM `events`);
