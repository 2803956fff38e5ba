CREATE TABLE `account_quotas` (
	`account_id` text NOT NULL,
	`quota` text NOT NULL,
	`max` integer,
	`used` integer NOT NULL,
	`period_ends_at` integer,
	`told_percent` integer NOT NULL,
	`tell_at` integer,
	PRIMARY KEY(`account_id`, `quota`)
);
--> statement-breakpoint
CREATE INDEX `account_quotas_to_tell` ON `account_quotas` (`tell_at`) WHERE tell_at is not null;--> statement-breakpoint
CREATE INDEX `account_quotas_to_date` ON `account_quotas` (`period_ends_at`) WHERE period_ends_at < 0;--> statement-breakpoint
ALTER TABLE `accounts` ADD `ancestor_ids` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `is_suspended` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `accounts_suspended` ON `accounts` (`id`) WHERE is_suspended;--> statement-breakpoint
ALTER TABLE `messages` ADD `is_over_quota` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Accounts above each sub-customer, topmost first.
UPDATE `accounts` SET `ancestor_ids` = (
	WITH RECURSIVE above(id, depth) AS (
		SELECT `accounts`.`parent_account_id`, 1
		UNION ALL
		SELECT parent.`parent_account_id`, above.depth + 1 FROM above
		JOIN `accounts` AS parent ON parent.`id` = above.id WHERE parent.`parent_account_id` IS NOT NULL
	)
	SELECT json_group_array(id) FROM (SELECT id FROM above ORDER BY depth DESC)
) WHERE `parent_account_id` IS NOT NULL;--> statement-breakpoint
-- The maximum of active passes becomes a quota, which the passes of sub-customers count for, too.
INSERT INTO `account_quotas` (`account_id`, `quota`, `max`, `used`, `period_ends_at`, `told_percent`, `tell_at`)
SELECT owner.`id`, 'activePasses', owner.`max_active_passes`, coalesce((
	SELECT sum(counted.`active`) FROM `active_pass_counts` AS counted
	WHERE counted.`account_id` = owner.`id` OR counted.`account_id` IN (
		SELECT below.`id` FROM `accounts` AS below JOIN json_each(below.`ancestor_ids`) AS above WHERE above.value = owner.`id`
	)
), 0), NULL, 0, NULL FROM `accounts` AS owner WHERE owner.`max_active_passes` IS NOT NULL;
