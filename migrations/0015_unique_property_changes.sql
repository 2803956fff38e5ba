CREATE TABLE `unique_property_changes` (
	`template_id` text NOT NULL,
	`property_id` text NOT NULL,
	`account_id` text NOT NULL,
	`run` text,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`template_id`, `property_id`)
);
--> statement-breakpoint
CREATE INDEX `unique_property_changes_due` ON `unique_property_changes` (`due_at`);