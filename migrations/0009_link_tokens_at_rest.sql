CREATE TABLE `link_token_moves` (
	`part` text PRIMARY KEY NOT NULL,
	`after` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `bundle_links` ADD `secret` text;--> statement-breakpoint
ALTER TABLE `passes` ADD `secrets` text;--> statement-breakpoint
-- What is stored already: the cron takes the tokens out of it.
INSERT INTO `link_token_moves` (`part`, `after`) SELECT 'passes', '' WHERE EXISTS (SELECT 1 FROM `passes`);--> statement-breakpoint
INSERT INTO `link_token_moves` (`part`, `after`) SELECT 'bundles', '' WHERE EXISTS (SELECT 1 FROM `bundle_links`);--> statement-breakpoint
INSERT INTO `link_token_moves` (`part`, `after`) SELECT 'events', '' WHERE EXISTS (SELECT 1 FROM `events`);--> statement-breakpoint
INSERT INTO `link_token_moves` (`part`, `after`) SELECT 'files', '' WHERE EXISTS (SELECT 1 FROM `passes`);
