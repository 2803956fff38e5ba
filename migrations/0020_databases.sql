CREATE TABLE `databases` (
	`name` text PRIMARY KEY NOT NULL,
	`is_open` integer NOT NULL,
	`added_at` integer NOT NULL,
	`measured` text
);
--> statement-breakpoint
CREATE TABLE `shard_places` (
	`subject` text PRIMARY KEY NOT NULL,
	`database` text NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `is_away` integer;--> statement-breakpoint
CREATE INDEX `audit_entries_away` ON `audit_entries` (`id`) WHERE is_away;