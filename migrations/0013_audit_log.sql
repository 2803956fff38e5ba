ALTER TABLE `audit_entries` ADD `actor_id` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `actor_type` text DEFAULT 'user' NOT NULL;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `target_type` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `target_id` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `ip` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `request_id` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `changes` text;--> statement-breakpoint
UPDATE `audit_entries` SET `actor_id` = (SELECT `users`.`id` FROM `users` WHERE `users`.`email` = `audit_entries`.`email`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_action` ON `audit_entries` (`account_id`,`action`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_actor` ON `audit_entries` (`account_id`,`actor_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_actor_and_action` ON `audit_entries` (`account_id`,`actor_id`,`action`,`id`);