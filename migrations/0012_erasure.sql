CREATE TABLE `account_deletions` (
	`account_id` text PRIMARY KEY NOT NULL,
	`root_id` text NOT NULL,
	`ancestor_ids` text NOT NULL,
	`started_at` integer NOT NULL,
	`step` integer NOT NULL,
	`rounds` integer NOT NULL,
	`deleted` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `account_deletions_by_time` ON `account_deletions` (`due_at`);--> statement-breakpoint
CREATE INDEX `account_deletions_by_root` ON `account_deletions` (`root_id`);--> statement-breakpoint
CREATE TABLE `pass_erasures` (
	`pass_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`names` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`rounds` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pass_erasures_by_time` ON `pass_erasures` (`due_at`);--> statement-breakpoint
CREATE TABLE `reply_subjects` (
	`pass_id` text NOT NULL,
	`account_id` text NOT NULL,
	`key` text NOT NULL,
	`kept_at` integer NOT NULL,
	PRIMARY KEY(`pass_id`, `account_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `image_checks` (
	`sha256` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`deleting_until_at` integer
);
--> statement-breakpoint
CREATE INDEX `image_checks_by_time` ON `image_checks` (`due_at`);--> statement-breakpoint
CREATE TABLE `image_uses` (
	`sha256` text NOT NULL,
	`user` text NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`sha256`, `user`)
);
--> statement-breakpoint
CREATE INDEX `image_uses_by_expiry` ON `image_uses` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX `processes_with_items` ON `processes` (`account_id`,`id`) WHERE finished_at is null or failed > 0;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_answered` ON `webhook_deliveries` (`event_id`) WHERE instr(attempts, '"answer"') > 0;--> statement-breakpoint
-- Drizzle has no triggers. These keep who shows an image, whichever statement writes a pass, a version of a template or an account.
CREATE TRIGGER `image_uses_of_new_pass` AFTER INSERT ON `passes` WHEN instr(NEW.`appearance`, 'sha256') OR instr(NEW.`appearance`, '/images/')
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT value, 'pass:' || NEW.`id` FROM json_tree(NEW.`appearance`) WHERE key = 'sha256' ON CONFLICT DO NOTHING;
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(atom, -64), 'pass:' || NEW.`id` FROM json_tree(NEW.`appearance`, '$.pendingImages') WHERE substr(atom, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_changed_pass` AFTER UPDATE OF `appearance` ON `passes` WHEN OLD.`appearance` IS NOT NEW.`appearance` AND (instr(OLD.`appearance`, 'sha256') OR instr(OLD.`appearance`, '/images/') OR instr(NEW.`appearance`, 'sha256') OR instr(NEW.`appearance`, '/images/'))
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT value, 'pass:' || NEW.`id` FROM json_tree(NEW.`appearance`) WHERE key = 'sha256' ON CONFLICT DO NOTHING;
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(atom, -64), 'pass:' || NEW.`id` FROM json_tree(NEW.`appearance`, '$.pendingImages') WHERE substr(atom, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
	DELETE FROM `image_uses` WHERE `user` = 'pass:' || OLD.`id` AND `sha256` IN (SELECT value FROM json_tree(OLD.`appearance`) WHERE key = 'sha256' UNION ALL SELECT substr(atom, -64) FROM json_tree(OLD.`appearance`, '$.pendingImages') WHERE substr(atom, -72, 8) = '/images/') AND NOT instr(NEW.`appearance`, `sha256`);
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_deleted_pass` AFTER DELETE ON `passes` WHEN instr(OLD.`appearance`, 'sha256') OR instr(OLD.`appearance`, '/images/')
BEGIN
	DELETE FROM `image_uses` WHERE `user` = 'pass:' || OLD.`id` AND `sha256` IN (SELECT value FROM json_tree(OLD.`appearance`) WHERE key = 'sha256' UNION ALL SELECT substr(atom, -64) FROM json_tree(OLD.`appearance`, '$.pendingImages') WHERE substr(atom, -72, 8) = '/images/');
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_new_template_version` AFTER INSERT ON `template_versions` WHEN instr(NEW.`definition`, 'sha256')
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT value, 'template:' || NEW.`template_id` || ':' || NEW.`version` FROM json_tree(NEW.`definition`, '$.images') WHERE key = 'sha256' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_deleted_template_version` AFTER DELETE ON `template_versions` WHEN instr(OLD.`definition`, 'sha256')
BEGIN
	DELETE FROM `image_uses` WHERE `user` = 'template:' || OLD.`template_id` || ':' || OLD.`version` AND `sha256` IN (SELECT value FROM json_tree(OLD.`definition`, '$.images') WHERE key = 'sha256');
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_new_account` AFTER INSERT ON `accounts` WHEN coalesce(NEW.`logo_url`, NEW.`icon_url`) IS NOT NULL
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(value, -64), 'account:' || NEW.`id` FROM json_each(json_array(NEW.`logo_url`, NEW.`icon_url`)) WHERE substr(value, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_changed_account` AFTER UPDATE OF `logo_url`, `icon_url` ON `accounts`
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(value, -64), 'account:' || NEW.`id` FROM json_each(json_array(NEW.`logo_url`, NEW.`icon_url`)) WHERE substr(value, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
	DELETE FROM `image_uses` WHERE `user` = 'account:' || OLD.`id` AND `sha256` IN (SELECT substr(value, -64) FROM json_each(json_array(OLD.`logo_url`, OLD.`icon_url`))) AND `sha256` NOT IN (SELECT coalesce(substr(value, -64), '') FROM json_each(json_array(NEW.`logo_url`, NEW.`icon_url`)));
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_deleted_account` AFTER DELETE ON `accounts` WHEN coalesce(OLD.`logo_url`, OLD.`icon_url`) IS NOT NULL
BEGIN
	DELETE FROM `image_uses` WHERE `user` = 'account:' || OLD.`id` AND `sha256` IN (SELECT substr(value, -64) FROM json_each(json_array(OLD.`logo_url`, OLD.`icon_url`)));
END;
--> statement-breakpoint
CREATE TRIGGER `image_checks_of_ended_use` AFTER DELETE ON `image_uses` WHEN NOT EXISTS (SELECT 1 FROM `image_uses` WHERE `sha256` = OLD.`sha256`)
BEGIN
	INSERT INTO `image_checks` (`sha256`, `due_at`) VALUES (OLD.`sha256`, unixepoch() * 1000) ON CONFLICT (`sha256`) DO UPDATE SET `due_at` = excluded.`due_at`;
END;
--> statement-breakpoint
-- Images that are shown already. What nothing has shown so far stays: nothing tells its name.
INSERT INTO `image_uses` (`sha256`, `user`) SELECT tree.value, 'pass:' || `passes`.`id` FROM `passes`, json_tree(`appearance`) AS tree WHERE instr(`appearance`, 'sha256') AND tree.key = 'sha256' ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(tree.atom, -64), 'pass:' || `passes`.`id` FROM `passes`, json_tree(`appearance`, '$.pendingImages') AS tree WHERE instr(`appearance`, '/images/') AND substr(tree.atom, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO `image_uses` (`sha256`, `user`) SELECT tree.value, 'template:' || `template_id` || ':' || `version` FROM `template_versions`, json_tree(`definition`, '$.images') AS tree WHERE tree.key = 'sha256' ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO `image_uses` (`sha256`, `user`) SELECT substr(url.value, -64), 'account:' || `accounts`.`id` FROM `accounts`, json_each(json_array(`logo_url`, `icon_url`)) AS url WHERE substr(url.value, -72, 8) = '/images/' ON CONFLICT DO NOTHING;
