CREATE TABLE `metric_points` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`index1` text NOT NULL,
	`blobs` text NOT NULL,
	`doubles` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `operator_mails` (
	`mail_id` text NOT NULL,
	`user_id` text NOT NULL,
	`subject` text NOT NULL,
	`lines` text NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`mail_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `operator_mails_due` ON `operator_mails` (`due_at`);--> statement-breakpoint
CREATE TABLE `service_alerts` (
	`name` text PRIMARY KEY NOT NULL,
	`raised_at` integer,
	`ticks` integer NOT NULL,
	`ticked_at` integer NOT NULL,
	`detail` text NOT NULL,
	`mailed_at` integer
);
--> statement-breakpoint
CREATE TABLE `service_samples` (
	`period` text NOT NULL,
	`starts_at` integer NOT NULL,
	`gauges` text NOT NULL,
	`measured_at` integer NOT NULL,
	PRIMARY KEY(`period`, `starts_at`)
);
--> statement-breakpoint
ALTER TABLE `users` ADD `operator_since` integer;--> statement-breakpoint
CREATE INDEX `users_operators` ON `users` (`operator_since`) WHERE operator_since is not null;--> statement-breakpoint
CREATE INDEX `certificates_by_end` ON `certificates` (`valid_to`);--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_failing` ON `webhook_subscriptions` (`failing_since_at`) WHERE failing_since_at is not null and status = 'active';