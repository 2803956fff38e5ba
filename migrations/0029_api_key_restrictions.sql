ALTER TABLE `api_keys` ADD `created_by_type` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `created_by_id` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `template_ids` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `allowed_ips` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `previous_digest` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `previous_until` integer;