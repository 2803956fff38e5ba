CREATE TABLE `account_changes` (
	`account_id` text NOT NULL,
	`number` integer NOT NULL,
	`table_name` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`account_id`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `account_moves` (
	`account_id` text PRIMARY KEY NOT NULL,
	`target` text NOT NULL,
	`step` text NOT NULL,
	`claim` text NOT NULL,
	`table_index` integer NOT NULL,
	`place` text,
	`started_at` integer NOT NULL,
	`blocked_until_at` integer NOT NULL,
	`is_sealed` integer NOT NULL,
	`blocked_at` integer,
	`read_only_ms` integer,
	`rows` text,
	`moved_at` integer,
	`has_triggers` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `accounts` ADD `lives_in` text;--> statement-breakpoint
CREATE INDEX `accounts_copies` ON `accounts` (`id`) WHERE lives_in is not null;