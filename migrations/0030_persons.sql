ALTER TABLE `accounts` ADD `retention` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `retention_due_at` integer;--> statement-breakpoint
CREATE INDEX `accounts_by_retention` ON `accounts` (`retention_due_at`) WHERE retention_due_at is not null;--> statement-breakpoint
ALTER TABLE `pass_erasures` ADD `is_forced` integer DEFAULT false NOT NULL;