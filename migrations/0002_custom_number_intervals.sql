CREATE TABLE `custom_numbers` (
	`template_id` text NOT NULL,
	`prefix` text NOT NULL,
	`first` integer NOT NULL,
	`next` integer NOT NULL,
	PRIMARY KEY(`template_id`, `prefix`, `first`)
);
--> statement-breakpoint
-- The counter knew neither prefix nor range: what it has passed counts as handed out under each prefix that the template ever had.
INSERT INTO `custom_numbers` (`template_id`, `prefix`, `first`, `next`)
SELECT `templates`.`id`, `definition` ->> '$.customNumberRange.prefix', min(`definition` ->> '$.customNumberRange.from') AS `lowest`, `next_custom_number`
FROM `templates` JOIN `template_versions` ON `template_versions`.`template_id` = `templates`.`id`
WHERE `definition` ->> '$.customNumberRange.from' < `next_custom_number`
GROUP BY 1, 2;
--> statement-breakpoint
ALTER TABLE `templates` DROP COLUMN `next_custom_number`;