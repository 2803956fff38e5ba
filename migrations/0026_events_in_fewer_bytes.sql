-- Not read since 0.1.0, nor by it: the table is of the version under way, which no deployment has, and makes it anew.
DROP TABLE `account_events`;--> statement-breakpoint
CREATE TABLE `account_events` (
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`subscription_id` text,
	`template` blob,
	`pass` blob,
	`template_id` text GENERATED ALWAYS AS (iif(typeof(template) = 'blob', lower(substr(hex(template), 1, 8) || '-' || substr(hex(template), 9, 4) || '-' || substr(hex(template), 13, 4) || '-' || substr(hex(template), 17, 4) || '-' || substr(hex(template), 21, 12)), template)) VIRTUAL,
	`pass_id` text GENERATED ALWAYS AS (iif(typeof(pass) = 'blob', lower(substr(hex(pass), 1, 8) || '-' || substr(hex(pass), 9, 4) || '-' || substr(hex(pass), 13, 4) || '-' || substr(hex(pass), 17, 4) || '-' || substr(hex(pass), 21, 12)), pass)) VIRTUAL,
	`pending` integer,
	`has_values` integer,
	PRIMARY KEY(`account_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `account_events_pending` ON `account_events` (`pending`) WHERE pending is not null;--> statement-breakpoint
CREATE INDEX `account_events_with_values` ON `account_events` (`pass`) WHERE has_values is not null and pass is not null;
