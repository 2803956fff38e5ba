CREATE TABLE `certificate_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`pass_type_id` text,
	`request_pem` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `certificate_requests_by_account` ON `certificate_requests` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `certificate_requests_by_age` ON `certificate_requests` (`created_at`);--> statement-breakpoint
ALTER TABLE `certificates` ADD `warn_at` integer;--> statement-breakpoint
ALTER TABLE `certificates` ADD `refresh_at` integer;--> statement-breakpoint
CREATE INDEX `certificates_to_warn_of` ON `certificates` (`warn_at`) WHERE "certificates"."warn_at" is not null;--> statement-breakpoint
CREATE INDEX `certificates_to_refresh` ON `certificates` (`refresh_at`) WHERE "certificates"."refresh_at" is not null;--> statement-breakpoint
UPDATE `certificates` SET `warn_at` = `valid_to` - 30 * 86400000 WHERE `account_id` IS NOT NULL AND `development` = 0 AND `valid_to` > unixepoch() * 1000;
