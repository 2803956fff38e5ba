ALTER TABLE `pass_facts` ADD `has_moved` integer;--> statement-breakpoint
CREATE INDEX `pass_facts_moved` ON `pass_facts` (`began_at`) WHERE has_moved is not null;