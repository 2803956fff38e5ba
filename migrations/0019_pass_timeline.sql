CREATE TABLE `pass_facts` (
	`key` integer PRIMARY KEY NOT NULL,
	`pass_key` integer NOT NULL,
	`began_at` integer NOT NULL,
	`facts` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pass_facts_by_pass` ON `pass_facts` (`pass_key`,`began_at`);--> statement-breakpoint
ALTER TABLE `pending_pushes` ADD `facts` text;--> statement-breakpoint
CREATE INDEX `registrations_begun` ON `registrations` (`pass_id`,`registered_at`);--> statement-breakpoint
CREATE INDEX `registrations_ended` ON `registrations` (`pass_id`,`ended_at`) WHERE ended_at is not null;